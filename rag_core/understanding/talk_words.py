"""Words of people who talk, not of what they talk about."""

TALK_WORDS = frozenset(
    """
    really literally obviously basically actually definitely probably possibly hopefully technically honestly
    simply purely merely fully totally completely entirely absolutely certainly clearly exactly especially mostly
    mainly usually normally already always sometimes often ever even quite rather pretty super kinda sorta somehow
    though tho although tbh btw fyi imo imho lol haha omg asap urgent urgently soon finally eventually lately
    recently anyway anyways instead besides otherwise perhaps since unsure sure yeah yep yup nah nope hmm ugh oops
    oh ah wow alright ppl folks guy dude mate boss colleague colleagues thoughts opinion guess guessing think
    thought thinking believe believes hope hoping hear heard seem seems seemed look looks looking looked see sees
    saw seen ask asks asked asking tells telling told insist insists insisted wanna gonna gotta wanted try tries
    trying tried needed keep keeps kept put puts putting give gives gave given made doing done bring brings come
    comes came coming getting smth sth sb thx ty plz plss somebody else's themselves himself herself ourselves
    ourselfs yourself thru cos cuz coz bc theres thats whats wheres hows heres youre theyre weve ive wont wouldnt
    shouldnt couldnt didnt doesn't havent hasnt wasnt werent arent ain't aint lets gotcha stuck confused worried
    another reckon reckons supposed argue argues
    """.split()
)
"""Adverbs, small talk and verbs of saying and thinking: no rule is on them."""
