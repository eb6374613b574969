"""`python -m ops evaluate --curve`: what lenience gains and costs, near-misses handled against answers withheld."""

import sys

from rich.console import Console
from rich.table import Table

from ops import wording_evaluation as wording
from ops.config import Config
from ops.evaluation.asking_all import EMBEDDED, Measured, Selected, ask_all
from ops.evaluation.measures import ANSWERS
from ops.evaluation.results import figures_of
from rag_core.errors import Rejected

LENIENCES = (0.0, 0.3, 0.6, 1.0, 1.5, 2.0, 4.0)
"""From "every word" to "hardly any"."""

SHOWN = (
    "near_miss_handled",
    "answerable_refused",
    "answerable_declined",
    "verdict_right",
    "allowed_though_prohibited",
    "restricted_though_prohibited",
)
_WIDTH = 120


async def print_curve(measured: Measured, config: Config, selected: Selected) -> int:
    """One row for each lenience, the one of the settings marked; injections are left out.

    Raises Rejected("curve_needs_embedded") for another bot, and what asking raises.
    """
    if measured.bot != EMBEDDED:
        raise Rejected("curve_needs_embedded", bot=measured.bot)
    table = Table(wording.lenience(), *(wording.measure_name(each) for each in SHOWN), box=None)
    asked = Selected(selected.questions, (), selected.documents)
    for lenience in sorted({*LENIENCES, config.lenience}):
        judged, _ = await ask_all(
            measured, config.model_copy(update={"lenience": lenience}), asked, lambda _done, _total: None
        )
        figures = figures_of(judged, {name: ANSWERS[name] for name in SHOWN})
        row = [f"{figures[name].value:.3f}" if name in figures else "" for name in SHOWN]
        table.add_row(wording.lenience_row(lenience, is_set=lenience == config.lenience), *row)
    Console(width=None if sys.stdout.isatty() else _WIDTH).print(table)
    return 0
