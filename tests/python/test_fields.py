"""Fields give the same values for arrays as for single points, for any shape, type and layout of the arrays."""

import pickle

import numpy as np
import pytest

import fathom


@pytest.fixture(scope="module")
def mesh():
    return fathom.make_shape("torus", resolution=32)


@pytest.fixture(scope="module")
def fields(mesh):
    grid = fathom.build_grid(mesh, resolution=32)
    x, y = np.meshgrid(np.linspace(-1, 1, 17), np.linspace(-1, 1, 17))
    ball = fathom.make_shape("tet_ball", resolution=4)
    # |x| + |y| + |z| - 1 as a ReLU network, so that its values are known.
    signs = np.concatenate([np.eye(3), -np.eye(3)]).astype(np.float32)
    network = fathom.NeuralField([(signs, np.zeros(6), "relu"), (np.ones((1, 6)), [-1.0], "none")], domain=[[-2, -2, -2], [2, 2, 2]])
    return {
        "analytic": fathom.AnalyticField("smooth_union(sphere(1), box(1, 2, 3), 0.2)"),
        "mesh": fathom.MeshField(mesh),
        "grid": grid,
        "smooth grid": fathom.SmoothGridField(grid),
        "neural": network,
        "tetrahedra": fathom.TetField(ball),
        "heights": fathom.HeightField(0.1 * np.sin(4 * x) * y, origin=(-1, -1), spacing=(0.125, 0.125), floor=-1, ceiling=1),
        "pair": fathom.CombinedField(grid, fathom.AnalyticField("sphere(0.4)"), "unite"),
    }


def test_the_distance_to_a_sphere_is_exact():
    ball = fathom.AnalyticField("sphere(1)")
    points = np.random.default_rng(3).normal(size=(1000, 3))
    assert np.allclose(ball.distance(points), np.linalg.norm(points, axis=1) - 1, atol=1e-14)
    assert np.allclose(ball.gradient(points), points / np.linalg.norm(points, axis=1, keepdims=True), atol=1e-14)


def test_batches_have_the_leading_shape_of_the_points_and_the_values_of_single_points(fields, random):
    points = random.uniform(-0.7, 0.7, size=(3, 5, 7, 3))
    for name, field in fields.items():
        distances, gradients = field.sample(points)
        assert distances.shape == (3, 5, 7) and gradients.shape == (3, 5, 7, 3) and distances.dtype == np.float64
        single = np.array([[[field.distance(p) for p in row] for row in plane] for plane in points])
        assert np.array_equal(field.distance(points), single), name
        assert np.array_equal(field(points), single), name
        assert np.array_equal(distances, single), name
        assert isinstance(field.distance(points[0, 0, 0]), float)
        assert field.distance(np.empty((0, 3))).shape == (0,) and field.distance(np.empty((4, 0, 3))).shape == (4, 0)


def test_values_do_not_depend_on_the_size_of_the_batch(fields, random):
    points = random.uniform(-0.7, 0.7, size=(5000, 3))
    for name, field in fields.items():
        whole = field.distance(points)
        pieces = np.concatenate([field.distance(part) for part in np.array_split(points, 13)])
        assert np.array_equal(whole, pieces), name


def test_float32_points_give_the_values_of_the_same_float64_points(fields, random):
    points = random.uniform(-0.7, 0.7, size=(2500, 3)).astype(np.float32)
    for name, field in fields.items():
        assert np.array_equal(field.distance(points), field.distance(points.astype(np.float64))), name
        assert np.array_equal(field.sample(points)[1], field.sample(points.astype(np.float64))[1]), name


def test_layout_and_byte_order_of_points_do_not_matter(fields, random):
    points = random.uniform(-0.7, 0.7, size=(60, 3))
    wide = np.zeros((60, 6))
    wide[:, ::2] = points
    buffer = np.zeros(60 * 24 + 1, dtype=np.uint8)
    unaligned = buffer[1:].view(np.float64).reshape(60, 3)
    unaligned[:] = points
    field = fields["grid"]
    for other in (np.asfortranarray(points), wide[:, ::2], points[::-1][::-1], points.astype(">f8"), points.tolist(), unaligned):
        assert np.array_equal(field.distance(other), field.distance(points))
    whole = np.array([[1, 0, 0], [0, 2, 0]])
    assert np.array_equal(field.distance(whole), field.distance(whole.astype(float)))


def test_contiguous_points_are_not_copied(random):
    # The results take 8 bytes per point; a copy of the points would take 24 more.
    import tracemalloc

    field = fathom.AnalyticField("sphere(1)")
    for kind in (np.float64, np.float32):
        points = random.uniform(size=(200_000, 3)).astype(kind)
        tracemalloc.start()
        field.distance(points)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 9 * len(points)


def test_results_are_written_to_out(fields, random):
    points = random.uniform(-0.7, 0.7, size=(20, 50, 3))
    for field in fields.values():
        wanted = field.distance(points)
        for kind in (np.float64, np.float32):
            out = np.full((20, 50), np.nan, dtype=kind)
            assert field.distance(points, out=out) is out
            assert np.array_equal(out, wanted.astype(kind))


@pytest.mark.parametrize(
    "out, error",
    [
        (np.empty(7), ValueError),
        (np.empty((10, 1)), ValueError),
        (np.empty(20)[::2], ValueError),
        (np.empty(10, dtype=int), TypeError),
        ([0.0] * 10, TypeError),
    ],
)
def test_unsuitable_out_arrays_are_rejected(out, error):
    with pytest.raises(error, match="out"):
        fathom.AnalyticField("sphere(1)").distance(np.zeros((10, 3)), out=out)


def test_out_must_not_share_memory_with_the_points_or_be_read_only():
    field, points = fathom.AnalyticField("sphere(1)"), np.zeros((10, 3))
    with pytest.raises(ValueError, match="shares memory"):
        field.distance(points, out=points.reshape(-1)[:10])
    sealed = np.zeros(10)
    sealed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        field.distance(points, out=sealed)


@pytest.mark.parametrize("points", [np.zeros(4), np.zeros((5, 2)), 1.0, np.zeros((3, 3, 4)), []])
def test_points_of_another_shape_are_rejected(points):
    with pytest.raises(fathom.InputError, match=r"\(\.\.\., 3\)") as caught:
        fathom.AnalyticField("sphere(1)").distance(points)
    assert caught.value.cause is fathom.Cause.invalid_argument and caught.value.place.element == "points"


@pytest.mark.parametrize("points", [np.zeros((2, 3), dtype=complex), np.zeros((2, 3), dtype=bool), "abc", None, object(), [["a", "b", "c"]], [[1, 2, 3], [1, 2]]])
def test_objects_that_are_not_real_numbers_are_rejected(points):
    with pytest.raises((TypeError, ValueError)):
        fathom.AnalyticField("sphere(1)").distance(points)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_index_of_the_first_non_finite_point_is_reported(fields, random, kind, bad):
    points = random.uniform(-0.5, 0.5, size=(100, 50, 3)).astype(kind)
    points[30, 11, 1] = points[99, 0, 2] = bad
    for name, field in fields.items():
        for ask in (field.distance, field.sample, field.gradient, field.contains):
            with pytest.raises(fathom.InputError) as caught:
                ask(points)
            assert (caught.value.cause, caught.value.place.element, caught.value.place.index) == (fathom.Cause.non_finite, "points", 30 * 50 + 11), name
    with pytest.raises(fathom.InputError):
        fields["grid"].range([0, 0, np.nan], [1, 1, 1])


def test_huge_points_are_accepted_as_finite():
    ball = fathom.AnalyticField("sphere(1)")
    for kind, huge in ((np.float64, 1e14), (np.float32, 1e14)):
        points = np.full((3000, 3), huge, dtype=kind)
        assert np.isfinite(ball.distance(points)).all()
    # The sums of these coordinates overflow.
    assert fathom.Shape(np.zeros((1, 3))).closest(np.full((600, 3), 3e38, dtype=np.float32)).point.shape == (600, 3)


def test_ranges_enclose_the_values_in_their_boxes(fields, random):
    lower = random.uniform(-0.7, 0.5, size=(4, 10, 3))
    upper = lower + random.uniform(0.01, 0.3, size=lower.shape)
    weights = random.uniform(size=(50, 4, 10, 3))
    inside = lower + weights * (upper - lower)
    for name, field in fields.items():
        least, most = field.range(lower, upper)
        assert least.shape == most.shape == (4, 10)
        values = field.distance(inside)
        assert (values >= least).all() and (values <= most).all(), name
    one = fathom.AnalyticField("sphere(1)").range([0, 0, 0], [1, 1, 1])
    assert one[0] <= -1 and one[1] >= np.sqrt(3) - 1 and isinstance(one[0], float)


def test_bounds_are_arrays_of_lower_and_upper(fields):
    assert np.allclose(fathom.AnalyticField("box(1, 2, 3)").bounds, [[-0.5, -1, -1.5], [0.5, 1, 1.5]])
    for field in fields.values():
        assert field.bounds.shape == field.domain.shape == (2, 3)
        assert field.lipschitz > 0 and field.error_bound >= 0


def test_a_grid_is_within_its_error_bound(mesh, fields, random):
    points = random.uniform(-0.5, 0.5, size=(3000, 3)) * [1, 1, 0.4]
    grid, exact = fields["grid"], fields["mesh"]
    assert (np.abs(grid.distance(points) - exact.distance(points)) <= grid.error_bound).all()
    assert grid.error_bound < 0.1


def test_grids_are_made_from_arrays_and_return_them():
    axis = np.linspace(-1, 1, 17)
    z, y, x = np.meshgrid(axis, axis, axis, indexing="ij")
    values = np.sqrt(x**2 + y**2 + z**2) - 0.5
    grid = fathom.GridField.from_array(values, cell=0.125, origin=[-1, -1, -1])
    assert grid.cells == (16, 16, 16) and grid.cell == 0.125
    assert np.allclose(grid.samples(), values, atol=1e-6)
    assert np.allclose(grid.distance([[0.5, 0.25, 0], [-0.25, 0.5, 0.75]]), [np.hypot(0.5, 0.25) - 0.5, np.sqrt(0.0625 + 0.25 + 0.5625) - 0.5], atol=1e-6)
    turned = fathom.GridField.from_array(values.transpose(2, 1, 0), cell=0.125, origin=[-1, -1, -1], x_first=True)
    assert np.array_equal(turned.samples(), grid.samples())
    with pytest.raises(ValueError):
        fathom.GridField.from_array(values[0], cell=0.1)
    with pytest.raises(ValueError):
        fathom.GridField.from_array(np.full_like(values, np.nan), cell=0.1)


def test_grids_are_written_and_read_without_loss(tmp_path, fields):
    grid = fields["grid"]
    points = np.random.default_rng(1).uniform(-0.6, 0.6, size=(500, 3))
    grid.write(tmp_path / "torus.fathom")
    assert np.array_equal(fathom.read_grid(tmp_path / "torus.fathom").distance(points), grid.distance(points))
    grid.write(str(tmp_path / "torus.npy"))
    other = fathom.read_grid(tmp_path / "torus.npy", origin=grid.origin, cell=grid.cell)
    assert np.allclose(other.distance(points), grid.distance(points), atol=1e-6)


def test_grids_are_offset_combined_baked_and_contoured(fields):
    ball = fathom.bake(fathom.AnalyticField("sphere(1)"), resolution=32, box=[[-1.4] * 3, [1.4] * 3])
    assert abs(ball.offset(0.05).distance([0, 0, 1.05])) < ball.error_bound
    bite = ball.combine(fathom.bake(fathom.AnalyticField("translate(1, 0, 0, sphere(0.5))"), resolution=32), "subtract")
    assert bite.distance([0.9, 0, 0]) > 0 > bite.distance([-0.5, 0, 0])
    surface = fathom.contour(ball)
    assert surface.report().watertight and abs(surface.mass_properties().volume - 4.18879) < 0.1
    assert fathom.contour(fathom.AnalyticField("box(1, 1, 1)"), resolution=16).report().watertight


def test_analytic_expressions_combine_with_operators():
    ball, box = fathom.AnalyticExpression("sphere(1)"), fathom.AnalyticExpression("box", [1.5, 1.5, 1.5])
    points = np.random.default_rng(2).uniform(-1.2, 1.2, size=(200, 3))
    a, b = (fathom.AnalyticField(f).distance(points) for f in (ball, box))
    for expression, values in ((ball | box, np.minimum(a, b)), (ball & box, np.maximum(a, b)), (ball - box, np.maximum(a, -b)), (~ball, -a)):
        assert np.allclose(fathom.AnalyticField(expression).distance(points), values, atol=1e-12)
    moved = ball.translate([1, 0, 0]).scale(2).rotate(np.pi / 2, [0, 0, 1]).round(0.1).shell(0.01)
    assert fathom.AnalyticExpression(moved.text) == moved and ball != box
    assert ball.distance_kind is fathom.DistanceKind.exact and ball.distance_kind == "exact"


def test_neural_fields_evaluate_their_layers(tmp_path, fields):
    network = fields["neural"]
    points = np.random.default_rng(5).uniform(-1, 1, size=(300, 3))
    assert np.allclose(network.distance(points), np.abs(points).sum(axis=1) - 1, atol=1e-5)
    network.write(tmp_path / "octahedron.fnet")
    assert np.array_equal(fathom.read_network(tmp_path / "octahedron.fnet").distance(points), network.distance(points))
    weights, biases, activation = network.layers[0]
    assert weights.shape == (6, 3) and biases.shape == (6,) and activation is fathom.Activation.relu
    with pytest.raises(fathom.InputError):
        fathom.NeuralField([(np.ones((4, 3)), np.zeros(4), "relu"), (np.ones((1, 5)), [0.0], "none")])


def test_fits_of_neural_fields_are_repeatable():
    mesh = fathom.make_shape("sphere", resolution=6)
    options = dict(layers=2, width=8, steps=300, samples=4096, seed=3)
    first, report = fathom.fit_network(mesh, **options)
    second, _ = fathom.fit_network(mesh, **options)
    points = np.random.default_rng(1).uniform(-0.6, 0.6, size=(100, 3))
    assert np.array_equal(first.distance(points), second.distance(points))
    assert report["steps"] == 300 and report["mean_error"] < 0.1


def test_tetrahedral_meshes_fill_a_field_and_follow_their_nodes():
    tets = fathom.tetrahedralize(fathom.AnalyticField("sphere(0.5)"), resolution=12)
    assert abs(tets.mass_properties().volume - 0.5236) < 0.03
    field = fathom.TetField(tets)
    moved = field.moved(tets.vertices + [1, 0, 0])
    assert field.distance([0, 0, 0]) < -0.3 and moved.distance([1, 0, 0]) == pytest.approx(field.distance([0, 0, 0])) and moved.distance([0, 0, 0]) > 0.4
    with pytest.raises(fathom.InputError):
        field.moved(np.zeros((3, 3)))


def test_analytic_fields_survive_pickling():
    field = fathom.AnalyticField("smooth_union(sphere(1), box(1, 2, 3), 0.2)")
    assert np.array_equal(pickle.loads(pickle.dumps(field)).distance([[1, 2, 3]]), field.distance([[1, 2, 3]]))


def test_slices_are_images_and_points(tmp_path):
    field = fathom.AnalyticField("torus(1, 0.3)")
    picture = fathom.draw_slice(field, axis=2, size=200)
    assert picture.dtype == np.uint8 and picture.shape[2] == 3 and len(np.unique(picture.reshape(-1, 3), axis=0)) > 20
    points = fathom.slice_points(field, axis=2, position=0.1, size=100)
    assert points.shape[2] == 3 and np.all(points[..., 2] == 0.1)
    values = field.distance(points)
    assert values.min() < 0 < values.max()
    fathom.write_png(tmp_path / "slice.png", picture)
    assert (tmp_path / "slice.png").read_bytes()[:4] == b"\x89PNG"
