"""The enums of Fathom. Wherever a member is asked for, its name as a string will do: method="surfaces"."""

from __future__ import annotations

import enum


class _Word(str, enum.Enum):
    def __str__(self) -> str:
        return self.value


class Verdict(enum.IntEnum):
    """Whether shapes touch. Arrays of verdicts hold these numbers."""

    disjoint = 0  #: proven apart
    overlapping = 1  #: with a witness
    undecided = 2  #: neither was proven


class Cause(_Word):
    """Why something was refused."""

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
    """What a shape is made of."""

    formula = "formula"
    grid = "grid"
    network = "network"
    other_field = "other_field"
    closed_mesh = "closed_mesh"
    open_mesh = "open_mesh"
    point_shell = "point_shell"
    tetrahedra = "tetrahedra"
    depth_map = "depth_map"
    plane = "plane"


class MeshInside(_Word):
    """Whether a mesh has an inside; automatic: where it is watertight and faces outward."""

    automatic = "automatic"
    closed = "closed"
    open = "open"


class Method(_Word):
    """How a question about two shapes is answered."""

    automatic = "automatic"
    closed_form = "closed_form"
    fields = "fields"
    octree = "octree"
    surface_in_field = "surface_in_field"
    points_in_field = "points_in_field"
    surfaces = "surfaces"
    tetrahedra = "tetrahedra"
    depth_maps = "depth_maps"
    advancement = "advancement"


class QueryGoal(_Word):
    """What collide() is asked for."""

    verdict = "verdict"
    contacts = "contacts"
    proof = "proof"


class Question(_Word):
    """What can be asked about two shapes."""

    collide = "collide"
    distance = "distance"
    sweep_first = "sweep_first"
    sweep_all = "sweep_all"


class SweepGoal(_Word):
    """What sweep() is asked for: any or the first contact, or all intervals of contact."""

    any = "any"
    first = "first"
    all = "all"


class Path(_Word):
    """How points move between two placements."""

    straight = "straight"
    screw = "screw"


class BroadMethod(_Word):
    """How a World finds pairs that may touch."""

    automatic = "automatic"
    brute_force = "brute_force"
    scene_octree = "scene_octree"
    packed_tree = "packed_tree"


class DistanceKind(_Word):
    """How the values of a formula relate to the true distance; signs are always right."""

    exact = "exact"
    exact_outside = "exact_outside"
    exact_inside = "exact_inside"
    lower_bound = "lower_bound"
    not_a_distance = "not_a_distance"


class SignMethod(_Word):
    """How the inside of a mesh is told from its outside."""

    automatic = "automatic"
    pseudo_normal = "pseudo_normal"
    parity = "parity"
    winding = "winding"
    wrap = "wrap"
    thickness = "thickness"


class GridStorage(_Word):
    """How a grid keeps its samples: in 4 bytes or in 2."""

    float32 = "float32"
    code16 = "code16"


class Combination(_Word):
    """Two bodies as one."""

    unite = "unite"
    intersect = "intersect"
    subtract = "subtract"


class Activation(_Word):
    """Of the layers of a network."""

    none = "none"
    relu = "relu"
    elu = "elu"
    tanh = "tanh"
    sine = "sine"
    softplus = "softplus"


class SolidSide(_Word):
    """Which side of a height field is solid, along z."""

    below = "below"
    above = "above"


class DepthMethod(_Word):
    """How the depths of the nodes of a tetrahedral body are found."""

    exact = "exact"
    closest_feature = "closest_feature"
    closest_point = "closest_point"


class DefectHandling(_Word):
    """What is done where nodes on the boundary alone would give a depth of 0 inside."""

    none = "none"
    paper = "paper"
    samples = "samples"
