"""From judged questions to the weights of the small reader. Needs the torch set of requirements."""
