"""Results for many poses, motions or rays: one column per quantity, with the leading shape of the input."""

from __future__ import annotations

from typing import NamedTuple, Union

import numpy as np

from ._choices import Method, Question, ShapeKind


class DistanceResults(NamedTuple):
    """Signed distances of two shapes for many poses; metres, world frame."""

    upper_bound: np.ndarray  #: (...,) upper bound of the signed distance; minus the penetration depth if they overlap
    lower_bound: np.ndarray  #: (...,) lower bound; -inf if they overlap
    point_a: np.ndarray  #: (..., 3) closest point found on A
    point_b: np.ndarray  #: (..., 3) closest point found on B
    normal: np.ndarray  #: (..., 3) unit, from A to B
    error_bound: np.ndarray  #: (...,) error bound of the distance
    converged: np.ndarray  #: (...,) bool: whether the bounds are within the tolerance


class PairDerivatives(NamedTuple):
    """A distance, depth or time of impact and its derivative with respect to displacements of both shapes.

    A displacement is a translation (m) and a rotation vector (rad) about the origin of the frame of the shape, both in
    world axes. Numbers and arrays of shape (3,) for a single pair of poses, otherwise columns.
    """

    value: Union[float, np.ndarray]  #: (...,) the distance (m), depth (m) or time of impact
    translation_a: np.ndarray  #: (..., 3) per metre of translation of A
    rotation_a: np.ndarray  #: (..., 3) per radian of rotation of A
    translation_b: np.ndarray  #: (..., 3) per metre of translation of B
    rotation_b: np.ndarray  #: (..., 3) per radian of rotation of B
    unique: Union[bool, np.ndarray]  #: (...,) whether the derivative was verified to exist


class PoseClearances(NamedTuple):
    """The signed distance of one body of a world to the nearest other body, and its derivative.

    The displacement of the body is as in PairDerivatives. Numbers and arrays of shape (3,) for a single pose, otherwise
    columns.
    """

    distance: Union[float, np.ndarray]  #: (...,) metres; minus the penetration depth where bodies overlap
    nearest: Union[int, np.ndarray]  #: (...,) the id of the nearest body, or -1 if there is none
    translation: np.ndarray  #: (..., 3) per metre of translation
    rotation: np.ndarray  #: (..., 3) per radian of rotation
    unique: Union[bool, np.ndarray]  #: (...,) whether the derivative was verified to exist


class SweepResults(NamedTuple):
    """Times of impact of two moving shapes for many motions; time runs in [0, 1]."""

    status: np.ndarray  #: (...,) uint8, values of Status
    time: np.ndarray  #: (...,) lower bound of the time of impact
    error: np.ndarray  #: (...,) if overlapping, contact occurs in [time, time + error]
    point: np.ndarray  #: (..., 3) point of the first contact (m, world frame)
    normal: np.ndarray  #: (..., 3) unit, from A to B
    budget_exhausted: np.ndarray  #: (...,) bool: whether the error is wider than requested


class RayHits(NamedTuple):
    """The first hits of rays: numbers for a single ray, arrays for many. Metres, world frame."""

    body: Union[int, np.ndarray]  #: (...,) id of the body, or -1
    part: Union[int, np.ndarray]  #: (...,) part of a compound shape, or -1
    distance: Union[float, np.ndarray]  #: (...,) distance along the ray; inf if nothing is hit
    error: Union[float, np.ndarray]  #: (...,) the ray enters the body in [distance, distance + error]
    point: np.ndarray  #: (..., 3)
    normal: np.ndarray  #: (..., 3) unit, outward from the body
    status: Union[int, np.ndarray]  #: (...,) values of Status


class ClosestPoints(NamedTuple):
    """The closest points on a surface to given points; metres, in the frame of the shape."""

    point: np.ndarray  #: (..., 3)
    distance: np.ndarray  #: (...,) unsigned distance
    triangle: np.ndarray  #: (...,) index of the triangle


class MatrixRow(NamedTuple):
    """A method for one kind of query on a pair of shape kinds, with its guarantee."""

    a: ShapeKind
    b: ShapeKind
    question: Question
    method: Method
    guarantee: str


__all__ = ["ClosestPoints", "DistanceResults", "MatrixRow", "PairDerivatives", "PoseClearances", "RayHits", "SweepResults"]
