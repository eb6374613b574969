"""How well numbers tell two kinds apart: area under the curve, recall at a fixed cost, and a logistic regression.

Higher numbers speak for the good kind (what can be answered). Written out in numpy: nothing else needs scikit-learn.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_ROUNDS = 50
_SHRINK = 1.0


def auc(values: Numbers, good: Flags) -> float:
    """The chance that a good one has the higher value than a bad one; ties count half (Mann and Whitney, 1947)."""
    ordered = np.sort(values[~good])
    below = np.searchsorted(ordered, values[good], side="left")
    equal = np.searchsorted(ordered, values[good], side="right") - below
    pairs = int(good.sum()) * int((~good).sum())
    return float((below + equal / 2).sum() / pairs) if pairs else 0.5


def found_at(values: Numbers, good: Flags, cost: float) -> float:
    """The share of the bad that lies below the highest threshold at which at most `cost` of the good do."""
    kept = np.sort(values[good])
    threshold = kept[int(cost * len(kept))] if len(kept) else 0.0
    return float((values[~good] < threshold).mean()) if (~good).any() else 0.0


class Logistic:
    """Logistic regression on standardised columns with a ridge of 1, by Newton's steps."""

    def __init__(self, columns: Numbers, good: Flags) -> None:
        self._mean = columns.mean(axis=0)
        spread = columns.std(axis=0)
        self._spread = np.where(spread > 0, spread, 1.0)
        rows = self._rows(columns)
        weights = np.zeros(rows.shape[1])
        ridge = np.full(rows.shape[1], _SHRINK)
        ridge[0] = 0.0
        for _ in range(_ROUNDS):
            chance = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
            slope = rows.T @ (chance - good) + ridge * weights
            curve = (rows * (chance * (1 - chance))[:, None]).T @ rows + np.diag(ridge + 1e-9)
            step = np.linalg.solve(curve, slope)
            weights -= step
            if np.abs(step).max() < 1e-6:
                break
        self.weights: Numbers = weights

    def values(self, columns: Numbers) -> Numbers:
        """The log-odds that each row is good."""
        found: Numbers = self._rows(columns) @ self.weights
        return found

    def _rows(self, columns: Numbers) -> Numbers:
        return np.column_stack([np.ones(len(columns)), (columns - self._mean) / self._spread])


def held_out(columns: Numbers, good: Flags, folds: Sequence[int]) -> Numbers:
    """The value of each row by a regression that has not seen its fold."""
    parts = np.asarray(folds)
    values = np.zeros(len(columns))
    for part in np.unique(parts):
        here = parts == part
        values[here] = Logistic(columns[~here], good[~here]).values(columns[here])
    return values
