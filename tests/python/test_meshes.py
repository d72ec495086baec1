"""Meshes are converted between arrays, files and the library without loss, and invalid ones are rejected with the cause."""

import pickle

import numpy as np
import pytest

import fathom

CUBE = fathom.make_shape("box", resolution=1)


def test_vertices_and_triangles_are_read_only_views():
    assert CUBE.vertices.shape == (8, 3) and CUBE.triangles.shape == (12, 3)
    assert CUBE.vertices.base is not None and not CUBE.vertices.flags.writeable and not CUBE.triangles.flags.writeable
    first, second = CUBE.vertices, CUBE.vertices
    assert first.ctypes.data == second.ctypes.data
    assert np.array_equal(CUBE.faces, CUBE.triangles)


def test_views_keep_their_mesh_alive():
    vertices = fathom.make_shape("sphere", resolution=4).vertices
    junk = [fathom.make_shape("sphere", resolution=4, radius=2) for _ in range(5)]
    assert np.allclose(np.linalg.norm(vertices, axis=1), 0.5) and len(junk) == 5


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint32, np.uint8])
def test_meshes_accept_integers_of_any_type(kind):
    mesh = fathom.TriangleMesh(CUBE.vertices.astype(np.float32), CUBE.triangles.astype(kind))
    assert np.array_equal(mesh.triangles, CUBE.triangles)


@pytest.mark.parametrize(
    "vertices, triangles, cause",
    [
        (np.full((3, 3), np.nan), [[0, 1, 2]], "non_finite"),
        (np.zeros((3, 3)), [[0, 1, 3]], "index_out_of_range"),
        (np.zeros((3, 3)), [[0, 1, -1]], "index_out_of_range"),
        (np.zeros((3, 2)), [[0, 1, 2]], "invalid_argument"),
        (np.zeros((3, 3)), [[0, 1]], "invalid_argument"),
        (np.zeros((2, 3, 3)), [[0, 1, 2]], "invalid_argument"),
    ],
)
def test_invalid_arrays_are_rejected_with_their_cause(vertices, triangles, cause):
    with pytest.raises(fathom.InputError) as caught:
        fathom.TriangleMesh(vertices, triangles)
    assert caught.value.cause == cause


def test_indices_must_be_integers():
    with pytest.raises(TypeError, match="expected integers"):
        fathom.TriangleMesh(np.zeros((3, 3)), [[0.0, 1.0, 2.0]])


def test_meshes_survive_files_and_pickling(tmp_path):
    for ending in ("obj", "ply", "off", "vtk", "vtu"):
        path = tmp_path / f"cube.{ending}"
        fathom.write_mesh(path, CUBE)
        assert fathom.read_triangle_mesh(path) == CUBE, ending
    tets = fathom.make_shape("tet_box", resolution=2)
    tets.write(tmp_path / "box.msh")
    assert fathom.read_tet_mesh(tmp_path / "box.msh") == tets
    assert pickle.loads(pickle.dumps(CUBE)) == CUBE and pickle.loads(pickle.dumps(tets)) == tets


def test_reports_distinguish_closed_from_open_meshes():
    closed, opened = CUBE.report(), fathom.TriangleMesh(CUBE.vertices, CUBE.triangles[1:]).report()
    assert closed.watertight and closed.clean and closed.genus == 0 and closed.volume == pytest.approx(1)
    assert not opened.watertight and opened.open_edges == 3 and opened.volume is None and opened.genus is None
    assert closed.self_intersections is None and CUBE.report(self_intersections=True).self_intersections == 0
    assert fathom.make_shape("torus").report().genus == 1
    assert CUBE.flipped().mass_properties().volume == pytest.approx(-1)


def test_mass_properties_of_a_box_are_exact():
    body = fathom.make_shape("box", width=1, depth=2, height=3).mass_properties(density=2)
    assert body.mass == pytest.approx(12) and np.allclose(body.center, 0)
    assert np.allclose(np.diag(body.inertia), [12 / 12 * (4 + 9), 12 / 12 * (1 + 9), 12 / 12 * (1 + 4)])


def test_every_shape_of_the_catalogue_is_generated():
    catalogue = fathom.shape_catalogue()
    assert {"box", "sphere", "torus", "creature", "tet_ball"} <= set(catalogue)
    for name in catalogue:
        mesh = fathom.make_shape(name)
        assert len(mesh.vertices) > 3, name
    with pytest.raises(fathom.InputError):
        fathom.make_shape("dodo")
    with pytest.raises(fathom.InputError):
        fathom.make_shape("sphere", radius=-1)


def test_point_shells_lie_on_their_surface():
    mesh = fathom.make_shape("sphere", resolution=8)
    field = fathom.MeshField(mesh)
    for shell in (fathom.vertex_shell(mesh), fathom.random_shell(mesh, count=200), fathom.repelled_shell(mesh, count=200)):
        assert np.abs(field.distance(shell.points)).max() < 1e-12 and len(shell) == len(shell.points)
        assert np.allclose(np.linalg.norm(shell.normals, axis=1), 1)
        assert ((shell.normals * shell.points).sum(axis=1) > 0).all() and shell.triangles.max() < len(mesh.triangles)


def test_tetrahedra_are_reordered_to_positive_volume():
    tets = fathom.TetMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1, 3]])
    assert tets.mass_properties().volume == pytest.approx(1 / 6)
    assert tets.boundary().report().faces_outward
