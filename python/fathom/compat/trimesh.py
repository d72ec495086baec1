"""A drop-in replacement of `trimesh.collision.CollisionManager` that uses fathom.World instead of FCL.

    from fathom.compat.trimesh import CollisionManager

trimesh itself is not required: a mesh is any object with `vertices` (n, 3) and `faces` (m, 3). Names, arguments and results are those of trimesh,
with these differences:

- A watertight mesh is a solid: a mesh that lies entirely inside another one collides with it. In trimesh this holds for convex meshes only.
  CollisionManager(inside="open") treats every mesh as a surface without an inside.
- `ContactData.normal` is the unit normal from the first to the second object. (Some versions of trimesh return the point instead.)
- The distance of overlapping meshes is minus the depth of the deepest point found.
- Pairs that are not proven disjoint count as colliding.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Set, Tuple

import numpy as np

from .. import _core
from .._choices import MeshInside

EXTERNAL = "__external"  # the name that trimesh gives to an object outside of the manager

_MAX_CONTACTS = 100_000  # per pair, the limit that trimesh passes to FCL


class ContactData:
    """A contact of two objects; metres, world frame."""

    def __init__(self, names: Tuple[str, str], contact: "_core.Contact"):
        self.names: Set[str] = set(names)
        self._contact = contact
        self._elements = {names[0]: contact.element_a, names[1]: contact.element_b}

    @property
    def normal(self) -> np.ndarray:
        """The unit normal (3,), from the first object to the second."""
        return self._contact.normal

    @property
    def point(self) -> np.ndarray:
        """The midpoint (3,) of the deepest points of the two objects."""
        return 0.5 * (self._contact.point_a + self._contact.point_b)

    @property
    def depth(self) -> float:
        """The penetration depth, >= 0."""
        return self._contact.depth

    def index(self, name: str) -> Optional[int]:
        """The index of the face of the object at the contact; None if the method does not provide it."""
        return self._elements[name]


class DistanceData:
    """The distance of two objects; metres, world frame."""

    def __init__(self, names: Tuple[str, str], distance: "_core.DistanceResult", faces: Dict[str, Callable[[np.ndarray], int]]):
        self.names: Set[str] = set(names)
        self._distance = distance
        self._points = {names[0]: distance.point_a, names[1]: distance.point_b}
        self._faces = faces

    @property
    def distance(self) -> float:
        """The signed distance: minus the penetration depth if they overlap."""
        return self._distance.upper_bound

    def index(self, name: str) -> int:
        """The index of the face of the object at its closest point."""
        return self._faces[name](self._points[name])

    def point(self, name: str) -> np.ndarray:
        """The point (3,) of the object that is closest to the other object."""
        return self._points[name]


class _Object(NamedTuple):
    """A mesh of the manager: its body in the world and its shape."""

    body: int
    shape: "_core.Shape"


def _face_finder(shape: "_core.Shape", pose: np.ndarray) -> Callable[[np.ndarray], int]:
    """Returns a function that finds the face of a shape at a pose that is closest to a point of the world frame."""
    return lambda point: int(shape.closest((point - pose[:3, 3]) @ pose[:3, :3]).triangle)


def _matrix(transform: Any) -> np.ndarray:
    if transform is None:
        return np.eye(4)
    matrix = np.asanyarray(transform, dtype=np.float64)
    if matrix.shape != (4, 4):
        raise ValueError(f"expected a transform of shape (4, 4), got {matrix.shape}")
    return matrix


class CollisionManager:
    """Named meshes with queries for collisions and distances among each other, with single meshes, and with another manager."""

    def __init__(self, inside: str = MeshInside.automatic):
        self._inside = inside
        self._world = _core.World(goal="status")
        self._objs: Dict[str, _Object] = {}
        self._names: Dict[int, str] = {}

    # ---- Objects

    def add_object(self, name: str, mesh: Any, transform: Any = None) -> int:
        """Adds a mesh, and replaces a mesh of the same name. transform: (4, 4). Returns the id of its body."""
        pose = _matrix(transform)
        shape = self._shape(mesh)
        if name in self._objs:
            self.remove_object(name)
        body = self._world.add(shape, pose, name=str(name))
        self._objs[name] = _Object(body, shape)
        self._names[body] = name
        return body

    def remove_object(self, name: str) -> None:
        """Removes a mesh. ValueError if the name is unknown."""
        body = self._object(name).body
        self._world.remove(body)
        del self._objs[name], self._names[body]

    def set_transform(self, name: str, transform: Any) -> None:
        """Sets the pose of a mesh. ValueError if the name is unknown."""
        self._world.move(self._object(name).body, _matrix(transform))

    # ---- Collisions

    def in_collision_single(self, mesh: Any, transform: Any = None, return_names: bool = False, return_data: bool = False):
        """Returns whether a mesh collides with any object: a bool, and on request a set of names and a list of ContactData."""
        hits = self._touched(self._shape(mesh), _matrix(transform), return_data)
        names = {name for name, _ in hits}
        data = [ContactData((EXTERNAL, name), contact) for name, hit in hits for contact in hit.contacts]
        return _answer(bool(hits), (return_names, names), (return_data, data))

    def in_collision_internal(self, return_names: bool = False, return_data: bool = False):
        """Returns whether any two objects collide: a bool, and on request a set of pairs of names in alphabetical order and a list of ContactData."""
        pairs = [(self._names[pair.a], self._names[pair.b]) for pair in self._world.update().pairs]
        data = self._contacts_of(pairs) if return_data else []
        return _answer(bool(pairs), (return_names, {tuple(sorted(pair)) for pair in pairs}), (return_data, data))

    def in_collision_other(self, other_manager: "CollisionManager", return_names: bool = False, return_data: bool = False):
        """Returns whether an object collides with one of another manager: a bool, and on request a set of pairs (name here, name there) and a list of ContactData."""
        hits = [(mine, theirs, hit) for mine, item in self._objs.items() for theirs, hit in other_manager._touched(item.shape, self._pose(mine), return_data)]
        names = {(mine, theirs) for mine, theirs, _ in hits}
        data = [ContactData((mine, theirs), contact) for mine, theirs, hit in hits for contact in hit.contacts]
        return _answer(bool(hits), (return_names, names), (return_data, data))

    # ---- Distances

    def min_distance_single(self, mesh: Any, transform: Any = None, return_name: bool = False, return_data: bool = False):
        """Returns the distance of a mesh to the nearest object: a float, and on request its name and a DistanceData. Without objects inf and None."""
        pose, shape = _matrix(transform), self._shape(mesh)
        name, distance = self._closest(shape, pose)
        data = None
        if return_data and name is not None and distance is not None:
            data = DistanceData((EXTERNAL, name), distance, {EXTERNAL: _face_finder(shape, pose), name: self._face_of(name)})
        return _answer(_metres(distance), (return_name, name), (return_data, data))

    def min_distance_internal(self, return_names: bool = False, return_data: bool = False):
        """Returns the smallest distance of two objects: a float, and on request their names in alphabetical order and a DistanceData."""
        best = _least(self._pair_distances())
        return self._pair_answer(best, self, return_names, return_data, ordered=True)

    def min_distance_other(self, other_manager: "CollisionManager", return_names: bool = False, return_data: bool = False):
        """Returns the smallest distance of an object and one of another manager: a float, and on request (name here, name there) and a DistanceData."""
        found = ((mine, *other_manager._closest(item.shape, self._pose(mine))) for mine, item in self._objs.items())
        return self._pair_answer(_least(found), other_manager, return_names, return_data, ordered=False)

    # ---- Implementation

    def _shape(self, mesh: Any) -> "_core.Shape":
        return _core.Shape(mesh, inside=self._inside)

    def _object(self, name: str) -> _Object:
        if name not in self._objs:
            raise ValueError(f"{name} not in collision manager!")
        return self._objs[name]

    def _pose(self, name: str) -> np.ndarray:
        return self._world.pose(self._objs[name].body)

    def _touched(self, shape: "_core.Shape", pose: np.ndarray, contacts: bool) -> List[Tuple[str, "_core.CollideResult"]]:
        goal = "contacts" if contacts else "status"
        return [(self._names[body], hit) for body, hit in self._world.collide(shape, pose, goal=goal, max_contacts=_MAX_CONTACTS)]

    def _contacts_of(self, pairs: Iterable[Tuple[str, str]]) -> List[ContactData]:
        data: List[ContactData] = []
        for a, b in pairs:
            hit = _core.collide(self._objs[a].shape, self._pose(a), self._objs[b].shape, self._pose(b), goal="contacts", max_contacts=_MAX_CONTACTS)
            data.extend(ContactData((a, b), contact) for contact in hit.contacts)
        return data

    def _closest(self, shape: "_core.Shape", pose: np.ndarray) -> Tuple[Optional[str], Optional["_core.DistanceResult"]]:
        body, distance = self._world.nearest(shape, pose, tolerance=1e-9)
        return (None, None) if body is None else (self._names[body], distance)

    def _pair_distances(self):
        names = list(self._objs)
        for k, a in enumerate(names):
            for b in names[k + 1 :]:
                yield a, b, _core.distance(self._objs[a].shape, self._pose(a), self._objs[b].shape, self._pose(b), tolerance=1e-9)

    def _face_of(self, name: str) -> Callable[[np.ndarray], int]:
        return _face_finder(self._objs[name].shape, self._pose(name))

    def _pair_answer(self, best, other: "CollisionManager", return_names: bool, return_data: bool, ordered: bool):
        if best is None:
            return _answer(float("inf"), (return_names, None), (return_data, None))
        mine, theirs, distance = best
        names = tuple(sorted((mine, theirs))) if ordered else (mine, theirs)
        data = DistanceData((mine, theirs), distance, {mine: self._face_of(mine), theirs: other._face_of(theirs)}) if return_data else None
        return _answer(distance.upper_bound, (return_names, names), (return_data, data))


def _metres(distance: Optional["_core.DistanceResult"]) -> float:
    return float("inf") if distance is None else distance.upper_bound


def _least(found):
    known = [item for item in found if item[2] is not None]
    return min(known, key=lambda item: item[2].upper_bound) if known else None


def _answer(first, *others):
    """The first result alone, or a tuple with the other results that were requested."""
    wanted = [value for asked, value in others if asked]
    return (first, *wanted) if wanted else first


def scene_to_collision(scene: Any) -> Tuple[CollisionManager, Dict[str, int]]:
    """Returns a manager with the meshes of a trimesh.Scene, and the ids of their bodies by the names of their nodes."""
    manager = CollisionManager()
    objects = {}
    for node in scene.graph.nodes_geometry:
        pose, geometry = scene.graph[node]
        objects[node] = manager.add_object(node, scene.geometry[geometry], pose)
    return manager, objects
