# %% [markdown]
# Hello: do two shapes touch, how deep, how far apart, and when?

# %%
import fathom

ball = fathom.AnalyticField("sphere(1)")
cube = fathom.make_shape("box", width=1, depth=1, height=1)

# %% A mesh against a formula, both where they are placed.
hit = fathom.collide(ball, None, cube, fathom.pose([1.4, 0, 0]))
print(hit)
print("deepest", hit.depth, "m, out along", hit.contacts[0].normal)
assert hit and abs(hit.depth - 0.1) < 1e-3

# %% Farther away: no contact, and that is a proof.
miss = fathom.collide(ball, None, cube, fathom.pose([3, 0, 0]))
assert not miss and miss.proven
print("apart by", float(fathom.distance(ball, None, cube, fathom.pose([3, 0, 0]))), "m")

# %% Flying in from 4 m to 0 m: when do they meet?
met = fathom.sweep(ball, None, cube, fathom.Motion(fathom.pose([4, 0, 0]), fathom.pose([0, 0, 0])))
print("first contact at", met.time, "of the way, at", met.point)
assert abs(met.time - 2.5 / 4) < 1e-3
