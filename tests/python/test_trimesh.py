"""The collision manager gives the documented results of trimesh on cubes in a row, and the documented differences."""

import numpy as np
import pytest

import fathom
from fathom.compat.trimesh import CollisionManager, ContactData, DistanceData

try:
    import trimesh
except ImportError:
    trimesh = None


class Plain:
    """A mesh with the required attributes only."""

    def __init__(self, mesh):
        self.vertices, self.faces = np.array(mesh.vertices), np.array(mesh.faces, dtype=np.int64)


UNIT = fathom.make_shape("box", resolution=1)


def cubes():
    yield Plain(UNIT)
    yield UNIT
    if trimesh is not None:
        yield trimesh.creation.box()


@pytest.fixture(params=list(cubes()), ids=lambda mesh: type(mesh).__name__)
def cube(request):
    return request.param


def x(metres):
    matrix = np.eye(4)
    matrix[0, 3] = metres
    return matrix


def manager(cube, **places):
    made = CollisionManager()
    for name, place in places.items():
        made.add_object(name, cube, x(place))
    return made


def test_a_mesh_collides_with_the_objects_of_a_manager(cube):
    many = manager(cube, near=0, far=5)
    assert many.in_collision_single(cube) is True
    touches, names, data = many.in_collision_single(cube, x(5), return_names=True, return_data=True)
    assert touches is True and names == {"far"}
    assert data and all(isinstance(d, ContactData) and len(d.point) == 3 and d.depth >= 0 and d.names == {"far", "__external"} for d in data)
    touches, names, data = many.in_collision_single(cube, x(-5), return_names=True, return_data=True)
    assert touches is False and names == set() and data == []
    assert many.in_collision_single(cube, x(5), return_names=True) == (True, {"far"})


def test_objects_collide_as_they_are_added_moved_and_removed(cube):
    many = manager(cube, a=0, b=5)
    assert many.in_collision_internal() is False
    many.add_object("c", cube, x(5))
    touches, names = many.in_collision_internal(return_names=True)
    assert touches is True and names == {("b", "c")}
    many.set_transform("c", x(-5))
    assert many.in_collision_internal() is False
    many.set_transform("c", x(5))
    assert many.in_collision_internal() is True
    many.remove_object("c")
    assert many.in_collision_internal() is False
    for call in (lambda: many.remove_object("c"), lambda: many.set_transform("c", x(0))):
        with pytest.raises(ValueError, match="c not in"):
            call()


def test_names_of_pairs_are_in_alphabetical_order(cube):
    many = manager(cube, zebra=0, ant=0.5)
    assert many.in_collision_internal(return_names=True)[1] == {("ant", "zebra")}


def test_an_object_replaces_another_of_the_same_name(cube):
    many = manager(cube, a=0, b=5)
    many.add_object("b", cube, x(0.5))
    assert many.in_collision_internal(return_names=True) == (True, {("a", "b")})
    assert not many.in_collision_single(cube, x(5))


def test_objects_collide_with_those_of_another_manager(cube):
    mine, theirs = manager(cube, a=0, b=5), manager(cube, a=-5)
    assert mine.in_collision_other(theirs) is False
    theirs.add_object("d", cube, x(5))
    assert mine.in_collision_other(theirs) is True
    touches, names, data = mine.in_collision_other(theirs, return_names=True, return_data=True)
    assert touches is True and names == {("b", "d")} and data and data[0].names == {"b", "d"}
    assert theirs.in_collision_other(mine, return_names=True)[1] == {("d", "b")}


def test_the_distance_of_a_mesh_is_that_to_the_nearest_object(cube):
    many = manager(cube, right=5)
    assert many.min_distance_single(cube) == pytest.approx(4)
    assert many.min_distance_single(cube, x(5.75)) == pytest.approx(-0.25)
    assert many.min_distance_single(cube, return_name=True) == (pytest.approx(4), "right")
    many.add_object("left", cube, x(-5))
    assert many.min_distance_single(cube, x(2), return_name=True) == (pytest.approx(2), "right")
    assert many.min_distance_single(cube, x(-2), return_name=True) == (pytest.approx(2), "left")


def test_the_internal_distance_is_that_of_the_closest_pair(cube):
    many = manager(cube, b=5, a=-5)
    assert many.min_distance_internal() == pytest.approx(9)
    assert many.min_distance_internal(return_names=True) == (pytest.approx(9), ("a", "b"))
    many.add_object("c", cube, x(2))
    assert many.min_distance_internal(return_names=True) == (pytest.approx(2), ("b", "c"))
    many.set_transform("c", x(-2))
    assert many.min_distance_internal(return_names=True) == (pytest.approx(2), ("a", "c"))


def test_the_distance_of_two_managers_has_points_and_faces(cube):
    mine, theirs = manager(cube, a=0, b=5), manager(cube, d=-5)
    distance, names, data = mine.min_distance_other(theirs, return_names=True, return_data=True)
    assert distance == pytest.approx(4) and names == ("a", "d") and isinstance(data, DistanceData)
    assert np.linalg.norm(data.point("a") - data.point("d")) == pytest.approx(distance) and data.distance == distance and data.names == {"a", "d"}
    theirs.add_object("e", cube, x(-2))
    distance, names, data = mine.min_distance_other(theirs, return_names=True, return_data=True)
    assert distance == pytest.approx(1) and names == ("a", "e")
    vertices, faces = np.asarray(cube.vertices), np.asarray(cube.faces)
    # The face touches the left side, at -0.5; if the closest point is on an edge, it may be the adjacent face.
    assert vertices[faces[data.index("a")]][:, 0].min() == pytest.approx(-0.5) and vertices[faces[data.index("e")]][:, 0].max() == pytest.approx(0.5)


def test_contacts_have_faces_depth_and_normal(cube):
    many = manager(cube, a=0, b=0.9)
    touches, data = many.in_collision_internal(return_data=True)
    assert touches and data
    deepest = max(data, key=lambda d: d.depth)
    assert deepest.depth == pytest.approx(0.1, abs=1e-6) and np.allclose(np.abs(deepest.normal), [1, 0, 0], atol=1e-6)
    assert 0.35 < deepest.point[0] < 0.55
    for name in ("a", "b"):
        assert deepest.index(name) is None or 0 <= deepest.index(name) < 12


def test_an_empty_manager_has_infinite_distance():
    empty = CollisionManager()
    assert empty.in_collision_internal() is False and empty.min_distance_internal() == float("inf")
    assert empty.min_distance_single(UNIT, return_name=True) == (float("inf"), None)
    assert empty.in_collision_single(UNIT) is False


def test_transforms_of_another_shape_are_rejected():
    with pytest.raises(ValueError):
        CollisionManager().add_object("a", UNIT, np.eye(3))


def test_a_mesh_inside_another_collides_unless_meshes_are_open():
    small = Plain(fathom.make_shape("torus", radius=0.1, tube=0.05))
    big = Plain(fathom.make_shape("torus", radius=1, tube=0.5))
    for inside, wanted in (("automatic", True), ("open", False)):
        many = CollisionManager(inside=inside)
        many.add_object("big", big)
        assert many.in_collision_single(small, x(1)) is wanted


def test_collisions_agree_with_brute_force():
    random = np.random.default_rng(11)
    mesh = fathom.make_shape("creature", triangles=2000)
    many, poses = CollisionManager(), []
    for k in range(6):
        turn = random.normal(size=4)
        poses.append(fathom.pose(random.uniform(-0.5, 0.5, 3), turn / np.linalg.norm(turn)))
        many.add_object(f"{k}", mesh, poses[-1])
    touching = many.in_collision_internal(return_names=True)[1]
    field = fathom.MeshField(mesh)
    for a in range(6):
        for b in range(a + 1, 6):
            world = mesh.vertices @ poses[a][:3, :3].T + poses[a][:3, 3]
            deep = field.distance((world - poses[b][:3, 3]) @ poses[b][:3, :3]).min() < 0
            assert not deep or (f"{a}", f"{b}") in touching
    assert 0 < len(touching) < 15


@pytest.mark.skipif(trimesh is None, reason="trimesh is not installed")
def test_scenes_of_trimesh_are_converted_to_managers():
    from fathom.compat.trimesh import scene_to_collision

    scene = trimesh.Scene()
    scene.add_geometry(trimesh.creation.box(), node_name="a")
    scene.add_geometry(trimesh.creation.icosphere(), node_name="b", transform=x(0.9))
    many, objects = scene_to_collision(scene)
    assert set(objects) == {"a", "b"} and many.in_collision_internal(return_names=True) == (True, {("a", "b")})
