# %% [markdown]
# The simulation of a TOML scene, and its recording as arrays.

# %%
import os
import pathlib

import numpy as np

import fathom

source = pathlib.Path(os.environ.get("FATHOM_SOURCE", pathlib.Path(__file__).parents[2]))

# %% The first 0.2 s of a bowl that falls onto another.
scene = fathom.read_scene(source / "scenes" / "bowl_drop.toml", overrides=["duration = 0.2", "record_every = 10"])
simulation = fathom.Simulation(scene)
simulation.run()
record = simulation.recording
print(f"{scene.name}: {len(record)} frames of {record.bodies}")

# %% The arrays can be plotted; here some values are printed.
falling = record.bodies.index("falling")
height = record.centers[:, falling, 2]
print("height of its centre of mass:", np.round(height[[0, len(record) // 2, -1]], 4), "m")
print("energy from", record.energy[0], "to", record.energy[-1], "J; deepest contact", record.worst_penetration, "m")
assert height[-1] < height[0] and record.poses.shape == (len(record), len(record.bodies), 4, 4)

# %% The vertices of the body in the last frame, and the contacts of that frame.
vertices = record.vertices(falling)
contacts = record.contacts()
assert np.isfinite(vertices).all() and len(contacts["depth"]) == len(contacts["position"])
