"""Pair queries: shapes of every kind, poses in every form, single and in batches."""

import numpy as np
import pytest

import fathom
from fathom import Status

BALL = fathom.AnalyticField("sphere(1)")
CUBE = fathom.make_shape("box", width=2, depth=2, height=2, resolution=1)


def at(*xyz):
    return fathom.pose(xyz)


@pytest.fixture(scope="module")
def shapes():
    ball = fathom.make_shape("sphere", radius=1, resolution=8)
    signs = np.concatenate([np.eye(3), -np.eye(3)]).astype(np.float32)
    heights = np.zeros((9, 9), dtype=np.float32)
    return {
        "analytic": fathom.Shape("union(sphere(1), sphere(0.5))"),
        "convex": fathom.Shape(BALL),
        "grid": fathom.Shape(fathom.bake(BALL, resolution=32)),
        "neural": fathom.Shape(fathom.NeuralField([(signs, np.zeros(6), "relu"), (np.ones((1, 6)), [-1.0], "none")], domain=[[-2, -2, -2], [2, 2, 2]])),
        "closed_mesh": fathom.Shape(ball),
        "open_mesh": fathom.Shape(fathom.TriangleMesh(ball.vertices, ball.triangles[1:]), inside="open"),
        "point_shell": fathom.Shape(ball.vertices),
        "tetrahedra": fathom.Shape(fathom.make_shape("tet_ball", radius=1, resolution=4)),
        "height_field": fathom.Shape(fathom.HeightField(heights, origin=(-2, -2), spacing=(0.5, 0.5), floor=-1, ceiling=1)),
        "half_space": fathom.Shape.half_space([0, 0, 1], 0),
    }


def test_shapes_report_their_kind(shapes):
    assert {name: shape.kind for name, shape in shapes.items()} == {name: fathom.ShapeKind(name) for name in shapes}
    assert shapes["closed_mesh"].bounded and not shapes["half_space"].bounded
    assert np.allclose(shapes["closed_mesh"].bounds, [[-1] * 3, [1] * 3], atol=0.05)


def test_every_pair_of_kinds_is_supported_in_both_orders(shapes):
    # Each pair once with a deep overlap and once far apart.
    for a, first in shapes.items():
        for b, second in shapes.items():
            if {a, b} <= {"half_space", "height_field"}:
                continue
            up = 0.3 if "half_space" in (a, b) or "height_field" in (a, b) else 0.7
            near, far = ((at(0, 0, up), at(0, 0, 5)) if a not in ("half_space", "height_field") else (at(0, 0, -up), at(0, 0, -5)))
            if {a, b} == {"point_shell"} or {a, b} == {"point_shell", "open_mesh"}:
                near = None  # points do not lie exactly on a surface
            if near is not None:
                assert fathom.collide(first, near, second, None).status == Status.overlapping, (a, b)
            assert fathom.collide(first, far, second, None).status == Status.disjoint, (a, b)
            assert fathom.distance(first, far, second, None).upper_bound > 2, (a, b)


def test_queries_on_two_spheres_match_their_radii(shapes):
    for kind in ("analytic", "convex", "closed_mesh", "grid"):
        shape = shapes[kind]
        hit = fathom.collide(shape, None, shape, at(1.5, 0, 0), goal="separation")
        assert hit and hit.touching and hit.status is Status.overlapping and hit.depth == pytest.approx(0.5, abs=0.1)
        assert hit.separates is fathom.Separates.proven and hit.normal @ [1, 0, 0] > 0.9 and 0 < hit.local_depth <= hit.depth + hit.error_bound
        assert hit.normals.shape == (len(hit.contacts), 3) and hit.normals[0] @ [1, 0, 0] > 0.9
        assert hit.points_a.shape == hit.points_b.shape == (len(hit.contacts), 3) and hit.depths[0] == hit.contacts[0].depth
        apart = fathom.collide(shape, None, shape, at(3, 0, 0))
        assert not apart and apart.proven and apart.contacts == []
        far = fathom.distance(shape, None, shape, at(3, 0, 0))
        assert float(far) == far.upper_bound == pytest.approx(1, abs=0.05) and far.lower_bound <= far.upper_bound
        assert np.allclose(far.normal, [1, 0, 0], atol=0.1) and np.linalg.norm(far.point_b - far.point_a) == pytest.approx(far.upper_bound, abs=0.05)
        assert far.converged or kind == "grid"
        met = fathom.sweep(shape, None, shape, fathom.Motion(at(5, 0, 0), at(0, 0, 0)))
        assert met and met.time == pytest.approx(0.6, abs=0.02)


def test_poses_are_matrices_or_translations_with_quaternions():
    half = np.sqrt(0.5)
    turned = fathom.pose([2.2, 0, 0], axis=[0, 0, 1], angle=np.pi / 4)
    wanted = float(fathom.distance(CUBE, None, CUBE, turned))
    assert wanted == pytest.approx(1.2 - np.sqrt(2), abs=1e-6)
    eighth = (np.cos(np.pi / 8), 0, 0, np.sin(np.pi / 8))
    assert float(fathom.distance(CUBE, None, CUBE, ([2.2, 0, 0], eighth))) == pytest.approx(wanted, abs=1e-9)
    assert float(fathom.distance(CUBE, None, CUBE, turned.astype(np.float32))) == pytest.approx(wanted, abs=1e-5)
    assert np.allclose(fathom.pose(quaternion=[half, half, 0, 0])[:3, :3] @ [0, 1, 0], [0, 0, 1])
    assert fathom.pose(np.zeros((4, 5, 3))).shape == (4, 5, 4, 4)
    for one in ((2.2, 0, 0), [2.2, 0, 0], np.array([2.2, 0, 0])):
        assert float(fathom.distance(CUBE, None, CUBE, one)) == float(fathom.distance(CUBE, None, CUBE, at(2.2, 0, 0)))


@pytest.mark.parametrize(
    "pose, cause",
    [
        (np.full((4, 4), np.nan), "non_finite"),
        (np.diag([1.0, 1, 2, 1]), "invalid_argument"),
        (np.diag([1.0, 1, -1, 1]), "invalid_argument"),
        (np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]]), "invalid_argument"),
        (np.eye(3), "invalid_argument"),
        (np.zeros(4), "invalid_argument"),
        ([0, 0, np.nan], "non_finite"),
        (([0, 0, 0], [0, 0, 0, 0]), "invalid_argument"),
        (([0, 0, 0], [2, 0, 0, 0]), "invalid_argument"),
        (([0, np.inf, 0], [1, 0, 0, 0]), "non_finite"),
    ],
)
def test_poses_that_are_not_rigid_are_rejected(pose, cause):
    with pytest.raises(fathom.InputError, match="pose_b") as caught:
        fathom.collide(BALL, None, BALL, pose)
    assert caught.value.cause == cause


def test_the_index_of_the_first_invalid_pose_is_reported():
    poses = np.tile(np.eye(4), (2, 5, 1, 1))
    poses[1, 2, 0, 3] = np.nan
    with pytest.raises(fathom.InputError) as caught:
        fathom.collide(BALL, None, BALL, poses)
    assert caught.value.place.index == 7 and caught.value.place.element == "pose_b"


def test_batches_of_poses_give_the_results_of_single_poses(shapes):
    random = np.random.default_rng(4)
    quaternions = random.normal(size=(6, 5, 4))
    quaternions /= np.linalg.norm(quaternions, axis=-1, keepdims=True)
    poses = fathom.pose(random.uniform(-2.4, 2.4, size=(6, 5, 3)), quaternions)
    for first, second in ((CUBE, BALL), (BALL, fathom.AnalyticExpression("box(2, 2, 2)")), (CUBE, CUBE), (shapes["tetrahedra"], CUBE)):
        many = fathom.collide(first, None, second, poses, goal="contacts")
        assert len(many) == 30 and many.status.shape == many.local_depth.shape == many.touching.shape == (6, 5) and many.witness.shape == (6, 5, 3)
        far = fathom.distance(first, None, second, poses)
        assert far.upper_bound.shape == (6, 5) and far.point_a.shape == (6, 5, 3)
        for k, pose in enumerate(poses.reshape(-1, 4, 4)):
            one = fathom.collide(first, None, second, pose, goal="contacts")
            assert one.status == many.status.flat[k] == many[k].status and one.local_depth == many.local_depth.flat[k]
            assert np.array_equal(one.points_a, many[k].points_a)
            single = fathom.distance(first, None, second, pose)
            assert single.upper_bound == far.upper_bound.flat[k] and single.converged == far.converged.flat[k]
        assert 0.1 < (many.status == Status.overlapping).mean() < 0.9
        both = fathom.collide(first, poses, second, poses)
        assert both.touching.all()
    with pytest.raises(IndexError):
        many[30]
    with pytest.raises(ValueError, match="leading shapes"):
        fathom.collide(BALL, poses, BALL, poses[:3])


def test_batches_of_motions_give_the_results_of_single_motions():
    starts, ends = fathom.pose([[5, y, 0] for y in (0, 1, 1.9, 3)]), fathom.pose([[-5, y, 0] for y in (0, 1, 1.9, 3)])
    many = fathom.sweep(BALL, None, BALL, fathom.Motion(starts, ends))
    assert many.time.shape == (4,) and list(many.status) == [1, 1, 1, 0]
    expected = [(5 - np.sqrt(4 - y * y)) / 10 for y in (0, 1, 1.9)]
    assert np.allclose(many.time[:3], expected, atol=1e-3)
    for k in range(4):
        one = fathom.sweep(BALL, None, BALL, fathom.Motion(starts[k], ends[k]))
        assert one.time == many.time[k]
    through = fathom.sweep(BALL, None, BALL, fathom.Motion(starts[0], ends[0]), goal="all")
    assert through.intervals.shape == (1, 2) and np.allclose(through.intervals, [[0.3, 0.7]], atol=5e-3)
    assert np.allclose(fathom.Motion(starts, ends).at(0.5), fathom.pose([[0, y, 0] for y in (0, 1, 1.9, 3)]))


def test_a_requested_method_is_used():
    options = fathom.methods_for("closed_mesh", "closed_mesh", "collide")
    assert len(options) > 1
    for method, guarantee in options:
        if method != "depth_maps":
            assert fathom.collide(CUBE, None, CUBE, at(1.5, 0, 0), method=method).method is method and guarantee
    with pytest.raises(fathom.Unsupported):
        fathom.collide(CUBE, None, CUBE, None, method="tetrahedra")


def test_the_matrix_has_a_method_for_every_pair_and_query():
    rows = fathom.matrix()
    cells = {(row.a, row.b, row.question) for row in rows}
    assert len(cells) == len(fathom.ShapeKind) ** 2 * len(fathom.Question)
    assert all(row.guarantee for row in rows)


def test_shapes_within_the_margin_count_as_overlapping():
    assert not fathom.collide(CUBE, None, CUBE, at(2.05, 0, 0))
    assert fathom.collide(CUBE, None, CUBE, at(2.05, 0, 0), margin=0.1)


def test_the_shape_of_an_immutable_object_is_made_once():
    mesh = fathom.make_shape("creature", triangles=4000)
    fathom.collide(mesh, None, mesh, at(0.3, 0, 0))
    kept = mesh._fathom_shape
    fathom.collide(mesh, None, BALL, at(3, 0, 0))
    assert mesh._fathom_shape is kept and kept.memory_bytes > 0


def test_a_shape_says_how_it_understood_a_mesh_and_results_say_what_is_not_certain():
    inward = fathom.Shape(fathom.TriangleMesh(CUBE.vertices, CUBE.triangles[:, ::-1]))
    assert inward.interior is fathom.MeshInterior.sealed and "inward" in inward.interior_reason
    assert fathom.collide(inward, None, "sphere(0.1)", None).proven
    holed = fathom.Shape(fathom.TriangleMesh(CUBE.vertices, CUBE.triangles[1:]))
    assert holed.interior == "capped" and "3 open edges" in holed.interior_reason
    inside = fathom.collide(holed, None, "sphere(0.1)", None)
    assert inside.touching and not inside.proven and "depends on them" in inside.note
    apart = fathom.distance(holed, None, "sphere(0.1)", at(5, 0, 0))
    assert apart.lower_bound > 0 and apart.note
    square = fathom.Shape(fathom.TriangleMesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]]))
    assert square.interior == "sheet" and square.kind == "open_mesh"
    assert "no certain inside" in fathom.sweep(square, None, "sphere(0.1)", fathom.Motion(at(0.5, 0.5, 1), at(0.5, 0.5, 0))).note
    assert fathom.Shape(CUBE).interior == "closed" and fathom.collide(CUBE, None, "sphere(0.1)", None).note == ""
    with pytest.raises(fathom.Error, match="exceeds the limit"):
        fathom.Shape(fathom.TriangleMesh(CUBE.vertices * 1e20, CUBE.triangles))


def test_any_object_with_vertices_and_faces_is_a_shape():
    class Foreign:
        vertices = CUBE.vertices.tolist()
        faces = CUBE.triangles.astype(np.int64)

    assert fathom.Shape(Foreign()).kind == "closed_mesh" and fathom.Shape(Foreign(), inside="open").kind == "open_mesh"
    assert fathom.collide(Foreign(), None, "sphere(0.1)", None)
    assert not fathom.collide(fathom.Shape(CUBE, inside="open"), None, "sphere(0.1)", None)
    for junk in (None, 3, object(), [1, 2, 3]):
        with pytest.raises(TypeError, match="a: expected a shape"):
            fathom.collide(junk, None, BALL, None)
    with pytest.raises(ValueError):
        fathom.Shape(fathom.TriangleMesh(CUBE.vertices, CUBE.triangles[1:]), inside="closed")


def test_shapes_deform_and_find_closest_points():
    shape = fathom.Shape(CUBE)
    longer = shape.deformed(CUBE.vertices * [2, 1, 1])
    assert np.allclose(longer.bounds, [[-2, -1, -1], [2, 1, 1]])
    with pytest.raises(fathom.InputError):
        shape.deformed(CUBE.vertices[1:])
    with pytest.raises(fathom.Unsupported):
        fathom.Shape(BALL).deformed(CUBE.vertices)
    found = shape.closest([[[3, 0.2, 0.1], [0, 0, -4]]])
    assert np.allclose(found.point, [[[1, 0.2, 0.1], [0, 0, -1]]]) and np.allclose(found.distance, [[2, 3]]) and found.triangle.shape == (1, 2)


def test_derivatives_predict_the_distance_the_depth_and_the_time_of_displaced_shapes(shapes):
    ball, step = shapes["convex"], 1e-5
    for kind in ("analytic", "convex", "closed_mesh"):
        d = fathom.distance_derivative(ball, None, shapes[kind], at(3, 0.4, 0.2))
        assert d.unique and d.value == pytest.approx(np.linalg.norm([3, 0.4, 0.2]) - 2, abs=0.02)
        for axis in np.eye(3):
            up, down = (fathom.distance_derivative(ball, None, shapes[kind], at(*(np.array([3, 0.4, 0.2]) + s * axis)), verify=False).value for s in (step, -step))
            assert (up - down) / (2 * step) == pytest.approx(d.translation_b @ axis, abs=1e-4)
        assert np.allclose(d.translation_a, -d.translation_b)
    middle_of_ring = fathom.distance_derivative(fathom.AnalyticField("torus(2, 0.3)"), None, fathom.AnalyticField("sphere(0.1)"), None)
    assert not middle_of_ring.unique
    many = fathom.distance_derivative(ball, None, ball, np.stack([at(3, 0, 0), at(0, 4, 0)]))
    assert np.allclose(many.translation_b, [[1, 0, 0], [0, 1, 0]], atol=1e-6) and many.unique.all()
    deep = fathom.depth_derivative(ball, None, ball, at(1.5, 0, 0))
    assert deep.value == pytest.approx(0.5, abs=1e-5) and np.allclose(deep.translation_b, [-1, 0, 0], atol=1e-3)
    flight = fathom.Motion(at(4, 0, 0), at(0, 0, 0))
    hit = fathom.impact_derivative(ball, None, ball, flight)
    assert hit.value == pytest.approx(0.5, abs=1e-5) and np.allclose(hit.translation_b, [0.25, 0, 0], atol=1e-5)
