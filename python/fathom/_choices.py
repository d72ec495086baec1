"""The enums of Fathom. Arguments accept a member or its name as a string: method="mesh_mesh"."""

from __future__ import annotations

import enum


class _Word(str, enum.Enum):
    def __str__(self) -> str:
        return self.value


class Status(enum.IntEnum):
    """Whether shapes overlap. Arrays of statuses hold these values. A status equals its name: status == "disjoint"."""

    disjoint = 0  #: proven disjoint
    overlapping = 1  #: a witness point was found
    undecided = 2  #: neither is proven

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return self is Status[other]  # KeyError: not the name of a status
        return int.__eq__(self, other)  # type: ignore[operator]

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = int.__hash__

    def __str__(self) -> str:
        return self.name


class Cause(_Word):
    """The cause of an error."""

    cannot_open = "cannot_open"
    cannot_write = "cannot_write"
    unknown_format = "unknown_format"
    unsupported = "unsupported"
    truncated = "truncated"
    malformed = "malformed"
    count_mismatch = "count_mismatch"
    index_out_of_range = "index_out_of_range"
    non_finite = "non_finite"
    empty = "empty"
    too_large = "too_large"
    invalid_argument = "invalid_argument"
    import_failed = "import_failed"
    cancelled = "cancelled"


class ShapeKind(_Word):
    """The kind of geometry of a shape."""

    analytic = "analytic"
    convex = "convex"
    grid = "grid"
    neural = "neural"
    other_field = "other_field"
    closed_mesh = "closed_mesh"
    open_mesh = "open_mesh"
    point_shell = "point_shell"
    tetrahedra = "tetrahedra"
    height_field = "height_field"
    half_space = "half_space"
    compound = "compound"


class MeshInside(_Word):
    """Whether a mesh has an inside. automatic: if it is closed, or can be sealed or capped. closed: it must have a
    certain one. open: it has none."""

    automatic = "automatic"
    closed = "closed"
    open = "open"


class MeshInterior(_Word):
    """How the interior of a mesh was determined. closed: watertight as given. sealed: after repairs within rounding.
    capped: small holes were closed by caps, so that the interior is a guess. sheet: it has none."""

    closed = "closed"
    sealed = "sealed"
    capped = "capped"
    sheet = "sheet"


class Method(_Word):
    """The method of a query on two shapes."""

    automatic = "automatic"
    closed_form = "closed_form"
    convex = "convex"
    field_field = "field_field"
    octree = "octree"
    mesh_field = "mesh_field"
    point_field = "point_field"
    mesh_mesh = "mesh_mesh"
    tetrahedra = "tetrahedra"
    depth_maps = "depth_maps"
    dual_gradient = "dual_gradient"
    conservative_advancement = "conservative_advancement"
    compound = "compound"


class CollideGoal(_Word):
    """The result that collide() computes: whether the shapes overlap, their contacts, the separating translation."""

    status = "status"
    contacts = "contacts"
    separation = "separation"


class Separates(_Word):
    """Whether B, moved by the translation of a result, was shown to be disjoint from A."""

    unknown = "unknown"
    found = "found"
    proven = "proven"


class Question(_Word):
    """The kinds of queries on two shapes."""

    collide = "collide"
    distance = "distance"
    sweep_first = "sweep_first"
    sweep_all = "sweep_all"


class SweepGoal(_Word):
    """The result that sweep() computes: any contact, the first contact, or all contact intervals."""

    any = "any"
    first = "first"
    all = "all"


class Path(_Word):
    """How points move between two poses."""

    straight = "straight"
    screw = "screw"


class BroadMethod(_Word):
    """The broad-phase method of a World."""

    automatic = "automatic"
    brute_force = "brute_force"
    packed_tree = "packed_tree"


class DistanceKind(_Word):
    """How the values of an analytic expression relate to the true distance; the sign is always correct."""

    exact = "exact"
    exact_outside = "exact_outside"
    exact_inside = "exact_inside"
    lower_bound = "lower_bound"
    not_a_distance = "not_a_distance"


class SignMethod(_Word):
    """The method that decides between inside and outside of a mesh."""

    automatic = "automatic"
    pseudo_normal = "pseudo_normal"
    parity = "parity"
    winding = "winding"
    wrap = "wrap"
    thickness = "thickness"


class GridStorage(_Word):
    """The storage of the samples of a grid: 4 bytes or 2 bytes each."""

    float32 = "float32"
    code16 = "code16"


class Combination(_Word):
    """The Boolean operation that combines two bodies."""

    unite = "unite"
    intersect = "intersect"
    subtract = "subtract"


class Activation(_Word):
    """The activation function of a layer of a neural network."""

    none = "none"
    relu = "relu"
    elu = "elu"
    tanh = "tanh"
    sine = "sine"
    softplus = "softplus"


class SolidSide(_Word):
    """The side of a height field, along z, that is solid."""

    below = "below"
    above = "above"


class DepthMethod(_Word):
    """The method that computes the depths of the nodes of a tetrahedral body."""

    exact = "exact"
    closest_feature = "closest_feature"
    closest_point = "closest_point"


class DefectHandling(_Word):
    """The treatment of tetrahedra whose nodes are all on the boundary, which would have depth 0 inside."""

    none = "none"
    paper = "paper"
    samples = "samples"
