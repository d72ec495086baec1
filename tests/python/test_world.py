"""A world of bodies: updates, events, filters, and queries in batches."""

import threading

import numpy as np
import pytest

import fathom
from fathom import Status

CUBE = fathom.make_shape("box", resolution=1)


def at(*xyz):
    return fathom.pose(xyz)


def pairs(step):
    return [(pair.a, pair.b) for pair in step.pairs]


def row(count=4, gap=1.5, **options):
    world = fathom.World(**options)
    ids = [world.add(CUBE, at(gap * k, 0, 0), name=f"cube {k}") for k in range(count)]
    return world, ids


def test_contacts_begin_stay_and_end():
    world, ids = row(goal="contacts")
    assert pairs(world.update()) == [] and len(world) == 4 and world.ids == ids and world.name(ids[2]) == "cube 2"
    world.move(ids[1], at(0.9, 0, 0))
    step = world.update()
    assert pairs(step) == [(0, 1)] and step.began.tolist() == [[0, 1]] and step.ended.shape == (0, 2)
    assert step.pairs[0].collision.local_depth == pytest.approx(0.1, abs=1e-6) and np.allclose(step.pairs[0].collision.normals[0], [1, 0, 0])
    assert world.update().stayed.tolist() == [[0, 1]]
    world.move(ids[1], at(1.5, 0, 0))
    step = world.update()
    assert step.ended.tolist() == [[0, 1]] and pairs(world.last) == [] and step.tested + step.cached >= 0


def test_many_bodies_move_at_once():
    world, ids = row()
    world.move(ids, np.stack([at(0.9 * k, 0, 0) for k in range(4)]))
    assert pairs(world.update()) == [(0, 1), (1, 2), (2, 3)]
    assert np.allclose(world.pose(ids[3]), at(2.7, 0, 0))
    # Ids are accepted as the arrays in which they are returned.
    world.move(np.array(ids), np.stack([at(2 * k, 0, 0) for k in range(4)]))
    world.move(world.update().ended[0, 1], at(0.5, 0, 0))
    assert pairs(world.update()) == [(0, 1)]
    with pytest.raises(fathom.InputError):
        world.move(ids, np.eye(4))
    with pytest.raises(fathom.InputError):
        world.move(ids[0], np.full((4, 4), np.nan))


def test_categories_masks_and_filters_exclude_pairs():
    world, ids = row(3, 0.9)
    assert pairs(world.update()) == [(0, 1), (1, 2)]
    world.set_category(ids[0], 2, 2)
    assert pairs(world.update()) == [(1, 2)]
    asked = []
    world.set_filter(lambda a, b: asked.append((a, b)) or False)
    assert pairs(world.update()) == [] and asked
    world.set_filter(None)
    assert pairs(world.update()) == [(1, 2)]


def test_an_exception_of_a_filter_reaches_the_caller_and_the_world_stays_usable():
    world, ids = row(3, 0.9)

    def refuse(a, b):
        raise KeyError("no")

    world.set_filter(refuse)
    with pytest.raises(KeyError):
        world.update()
    world.set_filter(lambda a, b: len(world) > 0)
    with pytest.raises(RuntimeError, match="must not use the world"):
        world.update()
    world.set_filter(None)
    assert pairs(world.update()) == [(0, 1), (1, 2)]
    with pytest.raises(TypeError):
        world.set_filter(3)


def test_bodies_are_added_changed_and_removed():
    world, ids = row(2)
    ball = world.add("sphere(1)", at(0, 0, 1.2))
    assert (ids[0], ball) in pairs(world.update()) and ball in world and world.shape(ball).kind == "convex"
    world.replace(ball, "sphere(0.1)")
    assert pairs(world.update()) == []
    world.deform(ids[0], CUBE.vertices * [1, 1, 3])
    assert (ids[0], ball) in pairs(world.update())
    world.remove(ball)
    assert ball not in world and pairs(world.update()) == []
    for call in (lambda: world.move(99, None), lambda: world.remove(99), lambda: world.pose(99), lambda: world.check_poses(99, np.eye(4)[None])):
        with pytest.raises(IndexError):
            call()


def test_a_shape_is_queried_against_the_world():
    world, ids = row()
    hits = world.collide("sphere(0.6)", at(1.5, 0, 0))
    assert [body for body, _ in hits] == [ids[1]] and hits[0][1].touching
    body, distance = world.nearest("sphere(0.5)", at(1.6, 3, 0))
    assert body == ids[1] and float(distance) == pytest.approx(2, abs=0.01)
    assert world.nearest("sphere(0.5)", at(1.5, 30, 0), limit=1) == (None, None)
    body, met = world.sweep("sphere(0.5)", fathom.Motion(at(-5, 0, 0), at(5, 0, 0)))
    assert body == ids[0] and met.time == pytest.approx(0.4, abs=0.01)


def test_rays_are_cast_in_batches():
    world, ids = row()
    hits = world.cast([[-5, 0, 0], [1.5, 0, 5], [0, 9, 9]], [[1, 0, 0], [0, 0, -1], [1, 0, 0]])
    assert hits.body.tolist() == [ids[0], ids[1], -1]
    assert np.allclose(hits.distance[:2], [4.5, 4.5], atol=1e-6) and np.isinf(hits.distance[2])
    assert np.allclose(hits.point[:2], [[-0.5, 0, 0], [1.5, 0, 0.5]], atol=1e-6) and np.allclose(hits.normal[:2], [[-1, 0, 0], [0, 0, 1]], atol=1e-6)
    one = world.cast([-5, 0, 0], [1, 0, 0])
    assert one.body == ids[0] and isinstance(float(one.distance), float) and one.point.shape == (3,)
    fan = world.cast([-5, 0, 0], np.random.default_rng(1).normal(size=(4, 6, 3)))
    assert fan.body.shape == (4, 6) and fan.point.shape == (4, 6, 3)


def test_many_poses_of_a_body_are_checked_in_one_call():
    world, ids = row()
    poses = fathom.pose(np.stack(np.meshgrid(np.linspace(-2, 7, 19), [0.0, 0.7, 2.0], [0.0]), axis=-1)[..., 0, :])
    statuses = world.check_poses(ids[0], poses)
    assert statuses.shape == poses.shape[:-2] and statuses.dtype == np.uint8
    x, y = np.abs(poses[..., 0, 3][..., None] - [1.5, 3.0, 4.5]).min(axis=-1), poses[..., 1, 3]
    assert (statuses[(x > 1.001) | (y > 1.001)] == Status.disjoint).all() and (statuses[(x < 0.999) & (y < 0.999)] == Status.overlapping).all()
    assert 0.1 < (statuses == Status.disjoint).mean() < 0.9
    clearances = world.clearances(ids[0], poses)
    true = np.hypot(np.maximum(x - 1, 0), np.maximum(y - 1, 0))
    assert clearances.shape == statuses.shape and (clearances <= true + 1e-6).all() and clearances.max() > 0.5


def test_threads_can_query_while_one_moves_bodies():
    world, ids = row(8)
    stop, faults = threading.Event(), []

    def ask():
        while not stop.is_set():
            try:
                world.collide(CUBE, at(3, 0, 0))
                world.cast([-5, 0, 0], [1, 0, 0])
            except Exception as fault:  # noqa: BLE001
                faults.append(fault)

    workers = [threading.Thread(target=ask) for _ in range(3)]
    for worker in workers:
        worker.start()
    for k in range(60):
        world.move(ids[3], at(4.5, 0.02 * k, 0))
        world.update()
    stop.set()
    for worker in workers:
        worker.join()
    assert not faults


def test_a_world_agrees_with_pair_queries():
    random = np.random.default_rng(7)
    mesh = fathom.make_shape("torus", resolution=24)
    for kind in (mesh, fathom.AnalyticExpression("box(0.6, 0.4, 0.5)"), fathom.bake(fathom.AnalyticField("sphere(0.3)"), resolution=24)):
        quaternions = random.normal(size=(12, 4))
        poses = fathom.pose(random.uniform(-0.7, 0.7, size=(12, 3)), quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True))
        world = fathom.World()
        for pose in poses:
            world.add(kind, pose)
        touching = {pair for pair in pairs(world.update())}
        shape = world.shape(0)
        wanted = {(a, b) for a in range(12) for b in range(a + 1, 12) if fathom.collide(shape, poses[a], shape, poses[b])}
        assert touching == wanted and 0 < len(wanted) < 66


def test_queries_take_categories_and_masks():
    world = fathom.World()
    glass = world.add(CUBE, at(-2, 0, 0), category=1)
    ball = world.add("sphere(0.5)", None, category=2, user=7)
    assert world.cast([-5, 0, 0], [1, 0, 0]).body == glass and world.cast([-5, 0, 0], [1, 0, 0], mask=2).body == ball
    assert world.cast([-5, 0, 0], [1, 0, 0], 2, any=True, mask=2).body == -1
    assert world.cast_all([-5, 0, 0], [1, 0, 0]).body.tolist() == [glass, ball]
    assert world.overlapping_box([[-3, -1, -1], [1, 1, 1]]) == [glass, ball]
    assert world.overlapping_box([[-3, -1, -1], [1, 1, 1]], mask=1) == [glass]
    assert world.containing([0, 0, 0.25]) == [(ball, None, pytest.approx(-0.25))] and world.containing([0, 0, 0], mask=1) == []
    assert world.nearest("sphere(0.1)", at(-1.2, 0, 0), mask=2)[0] == ball
    assert [body for body, _ in world.collide("sphere(2)", None, mask=1)] == [glass]
    assert world.sweep("sphere(0.1)", fathom.Motion(at(-5, 0, 0), at(5, 0, 0)), mask=2)[0] == ball
    assert world.user(ball) == 7 and world.user(glass) == 0
    world.set_user(glass, 2**64 - 1)
    assert world.user(glass) == 2**64 - 1


def test_hits_and_contacts_name_the_part_of_a_compound():
    world = fathom.World()
    inner = fathom.Shape.compound([fathom.CompoundPart("sphere(0.5)", at(0, 0, 2), name="tip", user=3)])
    shape = fathom.Shape.compound([CUBE, fathom.CompoundPart(inner, at(0, 0, 1), name="arm")])
    assert [part.name for part in shape.parts] == ["", "arm/tip"] and shape.parts[1].user == 3 and shape.kind == "compound"
    assert np.allclose(shape.parts[1].pose, at(0, 0, 3))
    body = world.add(shape)
    hit = world.cast([0, 0, 9], [0, 0, -1])
    assert hit.body == body and hit.part == 1 and hit.distance == pytest.approx(5.5)
    contact = fathom.collide("sphere(0.2)", at(0, 0, 3.6), shape, None, goal="contacts").contacts[0]
    assert contact.part_a is None and contact.part_b == 1
    with pytest.raises(TypeError):
        fathom.Shape.compound([("sphere(1)", None, None)])
    with pytest.raises(fathom.Error):
        fathom.Shape.compound([])


def test_clearance_derivatives_point_away_from_the_nearest_body():
    world = fathom.World()
    robot = world.add(fathom.Shape.sphere(0.5))
    left, right = (world.add(fathom.Shape.box([1, 1, 1]), at(x, 0, 0)) for x in (-3, 3))
    found = world.clearance_derivatives(robot, [at(-1, 0, 0), at(1, 0, 0), at(2.9, 0, 0)])
    assert found.nearest.tolist() == [left, right, right] and found.unique.all()
    assert found.distance == pytest.approx([1, 1, -0.9]) and found.translation[:, 0] == pytest.approx([1, -1, -1])
    alone = fathom.World()
    assert alone.clearance_derivatives(alone.add("sphere(1)"), at(0, 0, 0)).nearest == -1
