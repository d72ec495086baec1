"""The five queries of docs/porting.md in Coal 3 (PyPI: coal)."""

# [queries]
import coal
import numpy as np

box, ball = coal.Box(1, 1, 1), coal.Sphere(0.5)
at = lambda *xyz: coal.Transform3s(np.eye(3), np.array(xyz))
here, beside, apart = at(0, 0, 0), at(0.9, 0.1, 0.05), at(2, 0, 0.2)

result = coal.CollisionResult()
touching = coal.collide(box, here, box, beside, coal.CollisionRequest(), result) > 0
print(f"touching: {'yes' if touching else 'no'}")

found = result.getContact(0)
print(f"depth: {-found.penetration_depth:.3f}, normal x: {found.normal[0]:.3f}")

gap = coal.DistanceResult()
coal.distance(box, here, ball, apart, coal.DistanceRequest(), gap)
print(f"distance: {gap.min_distance:.3f}")
print(f"closest points: x {gap.getNearestPoint1()[0]:.3f} and {gap.getNearestPoint2()[0]:.3f}")

objects = [coal.CollisionObject(box, at(0.95 * k, 0, 0)) for k in range(10)]
manager = coal.DynamicAABBTreeCollisionManager()
for item in objects:
    manager.registerObject(item)
manager.setup()
pairs = coal.CollisionCallBackDefault()
pairs.data.request.num_max_contacts = 100  # of all pairs; two boxes have one
manager.collide(pairs)
print(f"touching pairs: {pairs.data.result.numContacts()}")
# [end]
