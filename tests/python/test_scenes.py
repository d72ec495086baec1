"""Scenes are simulated from Python, and their recordings are arrays."""

import numpy as np
import pytest

import fathom

@pytest.fixture(scope="module")
def scene(source):
    return fathom.read_scene(source / "scenes" / "bowl_drop.toml")


def test_a_scene_is_read_and_overrides_apply(source, scene):
    assert scene.duration > 0 and scene.step_count > 0 and scene.bodies
    short = fathom.read_scene(source / "scenes" / "bowl_drop.toml", overrides=["duration = 0.01"])
    assert short.duration == 0.01 and short.step_count < scene.step_count


def test_an_error_in_a_scene_reports_its_line():
    with pytest.raises(fathom.InputError) as caught:
        fathom.parse_scene('name = "x"\nduraton = 3\n', "typo.toml")
    assert caught.value.place.line == 2 and caught.value.place.file == "typo.toml"


def test_a_recording_is_available_as_arrays(source, tmp_path):
    scene = fathom.read_scene(source / "scenes" / "bowl_drop.toml", overrides=["duration = 0.1"])
    simulation = fathom.Simulation(scene)
    simulation.step(3)
    assert simulation.steps == 3 and not simulation.finished
    seen = []
    simulation.run(progress=lambda stage, fraction: seen.append(fraction))
    assert simulation.finished and seen and simulation.time == pytest.approx(0.1)
    record = simulation.recording
    frames, bodies = len(record), len(record.bodies)
    assert frames > 2 and bodies >= 1
    assert record.time.shape == record.energy.shape == record.deepest.shape == record.step.shape == record.contact_count.shape == (frames,)
    assert record.poses.shape == (frames, bodies, 4, 4) and record.centers.shape == record.velocities.shape == record.spins.shape == (frames, bodies, 3)
    assert np.all(np.diff(record.time) > 0) and np.allclose(record.energy, record.kinetic + record.potential + record.stored)
    moving = int(np.argmax(np.abs(record.velocities[-1]).sum(axis=1)))
    fallen = record.centers[0, moving, 2] - record.centers[-1, moving, 2]
    assert 0 < fallen <= 0.5 * 9.81 * 0.1**2 * 1.1
    vertices = record.vertices(moving)
    assert vertices.shape[1] == 3 and record.triangles(moving).max() < len(vertices)
    assert set(record.contacts()) == {"a", "b", "feature_a", "feature_b", "position", "normal", "depth"}
    with pytest.raises(IndexError):
        record.vertices(moving, frames)
    with pytest.raises(IndexError):
        record.vertices(99)
    simulation.write_results(tmp_path / "results")
    written = {path.name for path in (tmp_path / "results").iterdir()}
    assert written == {"summary.json", "energy.csv", "states.csv", "contacts.csv", "frames.pvd", "frames", "animation.glb",
                       "film.png", "energy.svg", "penetration.svg", "recording.fathomview"}


def test_a_recording_is_a_copy_and_runs_are_repeatable(source):
    scene = fathom.read_scene(source / "scenes" / "bowl_drop.toml", overrides=["duration = 0.02"])
    first, second = fathom.Simulation(scene), fathom.Simulation(scene)
    before = first.recording
    first.run()
    second.step(first.steps)
    assert len(before) == 1 and first.state_hash == second.state_hash
    assert np.array_equal(first.recording.poses, second.recording.poses)


def test_viewer_pages_are_written_if_the_viewer_was_built(tmp_path, source):
    simulation = fathom.Simulation(fathom.read_scene(source / "scenes" / "bowl_drop.toml", overrides=["duration = 0.01"]))
    simulation.run()
    shown = {"mesh": fathom.make_shape("torus"), "tets": fathom.make_shape("tet_ball"), "field": fathom.AnalyticField("sphere(1)")}
    writers = {name: (lambda path, thing=thing: fathom.write_html(path, thing)) for name, thing in shown.items()}
    writers["recording"] = simulation.recording.write_html
    for name, write in writers.items():
        path = tmp_path / f"{name}.html"
        if fathom.has_viewer():
            write(path)
            assert path.read_text().lstrip()[:15].lower() == "<!doctype html>" and path.stat().st_size > 10_000, name
        else:
            with pytest.raises(fathom.Unsupported):
                write(path)
    with pytest.raises(TypeError):
        fathom.write_html(tmp_path / "none.html", 3)


def test_scenes_with_kinematic_bodies_record_their_query_results(source):
    scene = fathom.read_scene(source / "scenes" / "figure2_cubes.toml")
    simulation = fathom.Simulation(scene)
    simulation.step(3)
    pairs = simulation.recording.pairs()
    assert set(pairs) == {"a", "b", "status", "depth"} and len(pairs["a"]) > 0
    assert set(pairs["status"]) <= set(fathom.Status)
