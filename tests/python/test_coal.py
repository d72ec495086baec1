"""Convex shapes beside Coal (PyPI: coal) and beside support functions written here. Skipped where Coal is missing."""

import collections
import os

import numpy as np
import pytest

import fathom

try:
    import coal
except ImportError:
    coal = None

COUNT = 100_000 if os.environ.get("FATHOM_LONG") == "1" else 3_000
KINDS = ("sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "hull", "plate", "needle")
CURVED = ("cylinder", "cone", "ellipsoid", "needle")


class Body:
    """One shape in both libraries, and its support function."""

    def __init__(self, kind, random, size):
        s = lambda: size * random.uniform(0.1, 1)
        self.kind, self.radius = kind, 0.0
        if kind == "sphere":
            self.radius = s()
            self.ours, self.theirs = fathom.Shape.sphere(self.radius), coal.Sphere(self.radius)
            self.core = lambda n: np.zeros(3)
        elif kind in ("box", "plate"):
            sides = np.array([s(), s(), 1e-6 * size if kind == "plate" else s()])
            self.ours, self.theirs = fathom.Shape.box(sides), coal.Box(*sides)
            self.core = lambda n: np.where(n > 0, 0.5, -0.5) * sides
        elif kind == "capsule":
            self.radius, length = 0.5 * s(), s()
            self.ours, self.theirs = fathom.Shape.capsule(self.radius, length), coal.Capsule(self.radius, length)
            self.core = lambda n: np.array([0, 0, 0.5 * length if n[2] > 0 else -0.5 * length])
        elif kind in ("cylinder", "needle"):
            r, height = 1e-6 * size if kind == "needle" else 0.5 * s(), s()
            self.ours, self.theirs = fathom.Shape.cylinder(r, height), coal.Cylinder(r, height)
            self.core = lambda n: rim(r, 0.5 * height if n[2] > 0 else -0.5 * height, n)
        elif kind == "cone":
            r, height = 0.5 * s(), s()
            self.ours, self.theirs = fathom.Shape.cone(r, height), coal.Cone(r, height)
            tip = np.array([0, 0, 0.5 * height])
            self.core = lambda n: max(tip, rim(r, -0.5 * height, n), key=lambda p: p @ n)
        elif kind == "ellipsoid":
            axes = 0.5 * np.array([s(), s(), s()])
            self.ours, self.theirs = fathom.Shape.ellipsoid(axes), coal.Ellipsoid(*axes)
            self.core = lambda n: axes * axes * n / np.linalg.norm(axes * n)
        else:
            directions = random.normal(size=(random.integers(8, 60), 3))
            points = 0.5 * size * directions / np.linalg.norm(directions, axis=1)[:, None] * [1, 0.7, 0.5]
            vertices = coal.StdVec_Vec3s()
            vertices.extend(list(points))
            self.ours, self.theirs = fathom.Shape.convex_hull(points), coal.Convex.convexHull(vertices, True, "Qt")
            self.core = lambda n: points[np.argmax(points @ n)]

    def support(self, pose, n):
        """The largest n . p over the posed shape."""
        turn, move = pose
        return n @ (turn @ self.core(turn.T @ n) + move) + self.radius


def rim(radius, z, n):
    across = np.hypot(n[0], n[1])
    return np.array([radius * n[0] / across, radius * n[1] / across, z]) if across > 0 else np.array([radius, 0, z])


def rotation(random):
    q = random.normal(size=4)
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def ours_at(pose):
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = pose
    return matrix


def height(a, pose_a, b, pose_b, n):
    """B moved by more than this along n is disjoint from A."""
    return a.support(pose_a, n) + b.support(pose_b, -n)


def theirs_at(pose):
    return coal.Transform3s(*pose)


def their_distance(a, pose_a, b, pose_b):
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.gjk_tolerance = request.epa_tolerance = 1e-12
    request.gjk_max_iterations = request.epa_max_iterations = 500
    coal.distance(a.theirs, theirs_at(pose_a), b.theirs, theirs_at(pose_b), request, result)
    return result.min_distance, np.array(result.normal)


def poses_of(random, k, size, a, b):
    pose_a, pose_b = (rotation(random), np.zeros(3)), (rotation(random), size * random.uniform(-0.7, 0.7, 3))
    if k % 5 == 1:
        pose_b = (pose_b[0], 0.02 * pose_b[1])  # nested
    if k % 5 == 2:
        pose_b = (pose_a[0], np.zeros(3))  # coincident
    if k % 5 == 3:
        pose_b = (pose_a[0], pose_b[1])  # faces that are parallel
    if k % 5 == 4:  # nearly touching
        found = fathom.distance(a.ours, ours_at(pose_a), b.ours, ours_at(pose_b))
        pose_b = (pose_b[0], pose_b[1] + (random.uniform(-1e-6, 1e-6) * size - found.lower_bound) * found.normal)
    if k % 4 == 0:
        far = 1e4 * size * pose_a[0][0]
        pose_a, pose_b = (pose_a[0], pose_a[1] + far), (pose_b[0], pose_b[1] + far)
    return pose_a, pose_b


@pytest.mark.skipif(coal is None, reason="Coal is missing: pip install coal")
def test_distances_depths_and_normals_agree_with_coal_or_coal_is_refuted(random):
    count = collections.Counter()
    wrong = []
    for k in range(COUNT):
        size = (1.0, 1e-3, 1e3)[k % 3]
        a, b = (Body(KINDS[random.integers(len(KINDS))], random, size) for _ in range(2))
        pose_a, pose_b = poses_of(random, k, size, a, b)
        collided = fathom.collide(a.ours, ours_at(pose_a), b.ours, ours_at(pose_b), goal="separation")
        found = fathom.distance(a.ours, ours_at(pose_a), b.ours, ours_at(pose_b))
        theirs, their_normal = their_distance(a, pose_a, b, pose_b)
        # Rounding of coordinates that are large beside the shapes counts as well.
        within = 1e-9 * size + 4e-15 * np.linalg.norm(pose_a[1])
        ours = found.lower_bound
        assert collided.status is not fathom.Status.undecided, k
        assert (collided.status is fathom.Status.disjoint) == (ours > 0), k
        # Our normal proves our distance, or bounds our depth, by a support function that is not ours.
        proven = -height(a, pose_a, b, pose_b, found.normal)
        assert abs(proven - ours) <= within, (k, a.kind, b.kind, proven, ours)
        if ours <= 0:
            assert abs(-collided.depth - ours) <= within, k
        count["disjoint" if ours > 0 else "overlapping"] += 1
        if abs(theirs - ours) <= within:
            count["agree"] += 1
            # A direction that is off by an angle changes a distance by its square.
            turned = 1 - found.normal @ their_normal
            if collided.unique and abs(ours) > 1e-3 * size and turned > 10 * within / abs(ours):
                count["normal"] += 1
                wrong.append((k, a.kind, b.kind, ours, theirs, turned))
            continue
        # For shapes that are apart a lower bound that a normal proves and an upper bound of two points decide; for
        # shapes that overlap no direction may need less than ours.
        if ours > 0:
            tight = found.upper_bound - ours <= within
            count["refuted" if tight else "wide"] += 1
            if not tight:
                wrong.append((k, a.kind, b.kind, ours, found.upper_bound, theirs))
        elif np.all(np.isfinite(their_normal)) and np.linalg.norm(their_normal) > 0.5:
            better = height(a, pose_a, b, pose_b, their_normal / np.linalg.norm(their_normal)) < -ours - within
            count["longer" if better else "refuted"] += 1
            if better:
                wrong.append((k, a.kind, b.kind, ours, theirs))
        else:
            count["refuted"] += 1
    print(dict(count), wrong[:40])
    assert count["longer"] + count["wide"] <= 1 + COUNT // 10_000
    assert count["disjoint"] > COUNT // 20 and count["overlapping"] > COUNT // 4
    assert count["agree"] > COUNT // 2
    assert count["normal"] <= 1 + COUNT // 10_000
