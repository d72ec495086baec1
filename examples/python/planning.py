# %% [markdown]
# Motion planning: many poses of one body among static bodies, checked in one call, with proofs.

# %%
import numpy as np

import fathom
from fathom import Status

# %% A gate of two pillars on a floor, and a drone.
world = fathom.World()
world.add(fathom.Shape.half_space([0, 0, 1], 0), name="floor", is_static=True)
for side in (-1, 1):
    world.add("cylinder(0.2, 2)", fathom.pose([0, 0.8 * side, 1]), name=f"pillar {side}", is_static=True)
drone = world.add(fathom.make_shape("spaceship", triangles=4000), fathom.pose([-3, 0, 1]), name="drone")

# %% Heights and rotations about z in the plane of the gate: (20, 36) poses in one call.
heights, turns = np.linspace(0.1, 1.9, 20), np.linspace(0, 2 * np.pi, 36, endpoint=False)
quaternions = np.stack([np.cos(turns / 2), 0 * turns, 0 * turns, np.sin(turns / 2)], axis=-1)
poses = fathom.pose(
    np.broadcast_to(np.stack([0 * heights, 0 * heights, heights], axis=-1)[:, None], (20, 36, 3)).copy(),
    np.broadcast_to(quaternions, (20, 36, 4)).copy(),
)
statuses = world.check_poses(drone, poses)
free = statuses == Status.disjoint
print(f"{free.mean():.0%} of {free.size} poses are proven free")
assert 0 < free.mean() < 1

# %% Clearances are proven lower bounds on the distance to the other bodies.
clearance = world.clearances(drone, poses)
best = np.unravel_index(clearance.argmax(), clearance.shape)
print(f"largest clearance: {clearance[best]:.3f} m at height {heights[best[0]]:.2f} m, rotated by {np.degrees(turns[best[1]]):.0f} degrees")
assert (clearance[~free] == 0).all() and clearance[best] > 0

# %% A second drone descends beside the first: its time of impact.
body, met = world.sweep(world.shape(drone), fathom.Motion(fathom.pose([-6, 0, 1]), fathom.pose([-6, 0, -1])))
assert world.name(body) == "floor"
print(f"the drone hits the {world.name(body)} at {met.time:.3f} of the motion")
