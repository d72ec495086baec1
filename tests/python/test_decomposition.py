"""Decompositions of meshes into convex hulls."""

import pytest

import fathom


def test_hulls_of_a_torus_are_a_compound_that_collides():
    torus = fathom.make_shape("torus")
    hulls = fathom.hull_decomposition(torus)
    assert hulls.kind == "compound" and 5 <= len(hulls.parts) <= 13
    assert all(part.shape.kind == "convex" for part in hulls.parts)
    assert hulls.parts[0].name == "hull_1"
    ball = fathom.Shape.sphere(0.1)
    assert fathom.collide(hulls, None, ball, None).status == "disjoint"
    assert fathom.collide(hulls, None, ball, ([0.35, 0, 0], [1, 0, 0, 0])).status == "overlapping"


def test_options_of_hulls():
    torus = fathom.make_shape("torus")
    assert len(fathom.hull_decomposition(torus, max_hulls=3).parts) <= 3
    stages = []
    assert len(fathom.hull_decomposition(torus, concavity=0.3, progress=lambda stage, done: stages.append(stage)).parts) < 10
    assert "cutting" in stages
    with pytest.raises(fathom.Error):
        fathom.hull_decomposition(torus, concavity=0)
    with pytest.raises(fathom.Cancelled):
        fathom.hull_decomposition(torus, progress=lambda stage, done: False)
