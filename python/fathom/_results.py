"""Answers for many placements at once: a column each, with their leading shape."""

from __future__ import annotations

from typing import NamedTuple, Union

import numpy as np

from ._choices import Method, Question, ShapeKind


class Distances(NamedTuple):
    """How far two shapes are apart, for many placements; metres, world frame."""

    upper: np.ndarray  #: (...,) signed distance; minus the depth where they overlap
    lower: np.ndarray  #: (...,) bound below; -inf where they overlap
    point_a: np.ndarray  #: (..., 3)
    point_b: np.ndarray  #: (..., 3)
    normal: np.ndarray  #: (..., 3) unit, from A to B
    error_bound: np.ndarray  #: (...,)
    truncated: np.ndarray  #: (...,) bool


class Sweeps(NamedTuple):
    """When two moving shapes touch first, for many motions; time runs in [0, 1]."""

    verdict: np.ndarray  #: (...,) uint8, numbers of Verdict
    time: np.ndarray  #: (...,) no contact is before this
    error: np.ndarray  #: (...,) one was seen at time + error
    point: np.ndarray  #: (..., 3) m, world
    normal: np.ndarray  #: (..., 3) unit, from A to B
    truncated: np.ndarray  #: (...,) bool


class RayHits(NamedTuple):
    """What rays hit first; plain numbers for one ray, arrays for many. Metres, world frame."""

    body: Union[int, np.ndarray]  #: (...,) id, or -1
    distance: Union[float, np.ndarray]  #: (...,) along the ray; inf where nothing is hit
    error: Union[float, np.ndarray]  #: (...,) the body begins in [distance, distance + error]
    point: np.ndarray  #: (..., 3)
    normal: np.ndarray  #: (..., 3) unit, out of the body
    verdict: Union[int, np.ndarray]  #: (...,) numbers of Verdict


class ClosestPoints(NamedTuple):
    """Points of a surface nearest to given ones; metres, in the shape's frame."""

    point: np.ndarray  #: (..., 3)
    distance: np.ndarray  #: (...,) unsigned
    triangle: np.ndarray  #: (...,)


class MatrixRow(NamedTuple):
    """One way to answer a question about a pair of kinds."""

    a: ShapeKind
    b: ShapeKind
    question: Question
    method: Method
    guarantee: str


__all__ = ["ClosestPoints", "Distances", "MatrixRow", "RayHits", "Sweeps"]
