"""Python and the command line give the same results, to the last digit."""

import itertools
import json
import os
import subprocess

import numpy as np
import pytest

import fathom

tool = os.environ.get("FATHOM_TOOL")
pytestmark = pytest.mark.skipif(not tool, reason="FATHOM_TOOL does not name the program")


def answer(command, a, b, *options):
    run = subprocess.run([tool, command, str(a), str(b), "--json", *options], capture_output=True, text=True,
                         env={**os.environ, "FATHOM_CACHE": "off"})
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def shapes(folder):
    """(argument of the command line, shape in Python) of every kind that Python and the command line can read."""
    for name in ("sphere", "torus", "cone"):
        mesh = fathom.make_shape(name)
        path = folder / f"{name}.obj"
        mesh.write(path)
        yield path, fathom.Shape(fathom.read_triangle_mesh(path))
    for text in ("box(0.8, 0.6, 0.5)", "capsule(0, 0, -0.3, 0, 0, 0.3, 0.2)", "plane(0, 0.6, 0.8, -0.1)"):
        yield text, fathom.Shape(fathom.AnalyticField(text))


def poses(count):
    random = np.random.default_rng(1)
    for _ in range(count):
        q = random.normal(size=4)
        for _ in range(8):
            q /= np.sqrt(q @ q)
        yield random.uniform(-0.5, 0.5, 3), q


def text(pose):
    return ",".join(repr(float(v)) for v in np.concatenate(pose))


def test_collide_and_distance_give_the_same_numbers(tmp_path):
    all_shapes = list(shapes(tmp_path))
    seen = set()
    placed = iter(list(poses(2 * len(all_shapes) ** 2)))
    for a, b in itertools.product(all_shapes, repeat=2):
        pose_a, pose_b = next(placed), next(placed)
        options = [f"--pose-a={text(pose_a)}", f"--pose-b={text(pose_b)}"]
        found, printed = fathom.collide(a[1], pose_a, b[1], pose_b, goal="separation"), answer("collide", a[0], b[0], *options)
        assert printed["status"] == str(found.status)
        assert (printed["proven"], printed["method"]) == (found.proven, str(found.method))
        if np.isfinite(found.depth):
            assert printed["depth"] == found.depth and printed["normal"] == found.normal.tolist()
        assert printed["separates"] == str(found.separates)
        assert len(printed["contacts"]) == len(found.contacts)
        seen.add(str(found.status))
        if "plane" in str(a[0]) and "plane" in str(b[0]):
            continue
        apart, printed = fathom.distance(a[1], pose_a, b[1], pose_b, depth=True), answer("distance", a[0], b[0], *options)
        assert printed["status"] == str(apart.status)
        assert (printed["upper_bound"], printed["converged"]) == (apart.upper_bound, apart.converged)
        assert printed["lower_bound"] == (apart.lower_bound if np.isfinite(apart.lower_bound) else None)
    assert {"disjoint", "overlapping"} <= seen


def test_a_status_equals_its_name_and_no_other_word():
    ball = fathom.AnalyticField("sphere(1)")
    status = fathom.collide(ball, None, ball, (3, 0, 0)).status
    assert status == "disjoint" and status != "overlapping" and status == fathom.Status.disjoint
    with pytest.raises(KeyError):
        status == "overlap"
