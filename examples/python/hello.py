# %% [markdown]
# Hello: overlap, penetration depth, distance and time of impact of two shapes.

# %%
import fathom

ball = fathom.AnalyticField("sphere(1)")
cube = fathom.make_shape("box", width=1, depth=1, height=1)

# %% A mesh and an analytic shape at given poses.
hit = fathom.collide(ball, None, cube, fathom.pose([1.4, 0, 0]), goal="separation")
print(hit)
print("penetration depth", hit.depth, "m, normal", hit.normal)
assert hit and abs(hit.depth - 0.1) < 1e-3

# %% Farther away they are proven disjoint.
miss = fathom.collide(ball, None, cube, fathom.pose([3, 0, 0]))
assert not miss and miss.proven
print("distance", float(fathom.distance(ball, None, cube, fathom.pose([3, 0, 0]))), "m")

# %% The cube moves from x = 4 m to x = 0 m: the time of impact.
met = fathom.sweep(ball, None, cube, fathom.Motion(fathom.pose([4, 0, 0]), fathom.pose([0, 0, 0])))
print("time of impact", met.time, "of the motion, at", met.point)
assert abs(met.time - 2.5 / 4) < 1e-3
