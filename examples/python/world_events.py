# %% [markdown]
# A World: bodies move, contacts begin, continue and end; ray casts and filters.

# %%
import numpy as np

import fathom

# %% Three kinds of geometry in one world.
world = fathom.World()
table = world.add("box(4, 4, 0.2)", fathom.pose([0, 0, -0.1]), name="table", is_static=True)
ring = world.add(fathom.make_shape("torus"), fathom.pose([0, 0, 1]), name="ring")
ball = world.add(fathom.bake(fathom.AnalyticField("sphere(0.3)"), resolution=32), fathom.pose([2, 0, 0.5]), name="ball")

# %% The ring sinks onto the table, and the ball rolls into it and away.
log = []
for step in range(60):
    world.move(ring, fathom.pose([0, 0, max(1 - 0.05 * step, 0.12)]))
    world.move(ball, fathom.pose([2 - 0.07 * step, 0, 0.35]))
    events = world.update()
    for word, pairs in (("begins", events.began), ("ends", events.ended)):
        for a, b in pairs:
            log.append((step, world.name(a), world.name(b), word))
for line in log:
    print(*line)
assert (log[0][1:3], log[0][3]) == (("table", "ring"), "begins")
assert any(entry[1:] == ("ring", "ball", "begins") for entry in log) and any(entry[1:] == ("ring", "ball", "ends") for entry in log)

# %% A batch of rays from one side.
y, z = np.meshgrid(np.linspace(-1, 1, 40), np.linspace(-0.3, 1.2, 30))
origins = np.stack([np.full_like(y, -5), y, z], axis=-1)
seen = world.cast(origins, [1, 0, 0])
print("bodies seen:", sorted({world.name(body) for body in seen.body[seen.body >= 0]}))
assert np.isfinite(seen.distance[seen.body >= 0]).all()

# %% A filter excludes the pair of ball and ring.
world.set_filter(lambda a, b: {a, b} != {ring, ball})
world.move(ball, fathom.pose([0.3, 0, 0.35]))
assert all({pair.a, pair.b} != {ring, ball} for pair in world.update().pairs)
