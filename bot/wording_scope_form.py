"""What a person reads where a scope is chosen."""


def platform_label() -> str:
    return "Platform"


def any_platform() -> str:
    return "Any platform"


def place_label() -> str:
    return "Place"


def place_example() -> str:
    return "Germany, France"


def place_hint() -> str:
    return "Countries, states or EU, with commas between them. Left empty, the words of the question decide."


def place_unknown(said: str) -> str:
    return f"“{said}” is not known as a place. Write a country or a state, such as Germany, UK or US-TX."


def material_label() -> str:
    return "Material"


def any_material() -> str:
    return "Any material"


def material_unknown() -> str:
    return "This kind of material is not known. Choose one of the list."


def day_label() -> str:
    return "Day"


def today() -> str:
    return "Today"


def day_hint() -> str:
    return "The rules as they were in force on that day. Left empty: today."


def day_unknown() -> str:
    return "This is not a day. Choose one from the calendar, or leave it empty."


def platform_unknown() -> str:
    return "This platform is not known here any more. Choose one of the list, or leave it empty."
