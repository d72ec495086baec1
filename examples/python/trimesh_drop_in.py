# %% [markdown]
# Code for the collision manager of trimesh runs without trimesh and FCL; only one import differs.

# %%
import numpy as np

import fathom
from fathom.compat.trimesh import CollisionManager  # instead of: from trimesh.collision import CollisionManager

# %% A mesh is any object with vertices and faces: a mesh of trimesh or of Fathom.
gear, peg = fathom.make_shape("torus", radius=0.5, tube=0.1), fathom.make_shape("cylinder", radius=0.2, height=1)
manager = CollisionManager()
manager.add_object("gear", gear)
manager.add_object("peg", peg)
assert manager.in_collision_internal() is False
distance, names = manager.min_distance_internal(return_names=True)
print(f"{names} are {distance:.4f} m apart")
assert abs(distance - 0.2) < 0.01

# %% The peg moves into the gear.
aside = np.eye(4)
aside[0, 3] = 0.25
manager.set_transform("peg", aside)
touches, pairs, contacts = manager.in_collision_internal(return_names=True, return_data=True)
print(pairs, "collide, with penetration depth", max(c.depth for c in contacts), "m")
assert touches and pairs == {("gear", "peg")}
