"""Which sets of packages there are, and where their files lie."""

from dataclasses import dataclass
from pathlib import Path

REQUIREMENTS = Path("ops/requirements")
LOCKED = REQUIREMENTS / "locked"
CONSTRAINTS = REQUIREMENTS / "constraints.txt"


@dataclass(frozen=True, slots=True)
class Tier:
    """A set of packages that is installed together.

    `on`: the tiers it is installed over; what they hold is not locked again. `whole`: with all that its packages bring
    in. `source`: whose file names its packages, if not its own. `without`: the tier that has the rest of them.
    `runs`: it may run in production; else it only builds, installs, checks or tests. `apart`: in an environment of its
    own, so that its versions need not go with the others'.
    """

    name: str
    on: tuple[str, ...] = ()
    whole: bool = True
    source: str = ""
    without: str = ""
    runs: bool = True
    apart: bool = False

    @property
    def requirements(self) -> Path:
        return REQUIREMENTS / f"{self.source or self.name}.txt"

    @property
    def locked(self) -> Path:
        return LOCKED / f"{self.name}.txt"


TIERS = (
    Tier("light"),
    Tier("weights", whole=False),
    Tier("services", on=("light",)),
    Tier("chat", on=("light",)),
    Tier("openai", on=("light",)),
    Tier("llama-source", whole=False, source="llama"),
    Tier("llama", on=("light",), without="llama-source"),
    Tier("model-weights", whole=False),
    Tier("torch", on=("light",)),
    Tier("dev", on=("light", "services"), runs=False),
    Tier("models-dev", on=("light", "openai"), runs=False),
    Tier("build", runs=False, apart=True),
    Tier("uv", runs=False, apart=True),
)

# What the image holds; with LLAMA=yes the two of llama as well.
IMAGE = ("light", "weights", "services", "openai", "chat")


def tier_named(name: str) -> Tier:
    """KeyError for one that is not there."""
    return {each.name: each for each in TIERS}[name]
