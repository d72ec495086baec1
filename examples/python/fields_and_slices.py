# %% [markdown]
# Fields: how far, which way, and what range over a box; a mesh, its grid, and a picture of a slice.

# %%
import pathlib
import tempfile

import numpy as np

import fathom

# %% A generated creature, exactly and as a grid.
mesh = fathom.make_shape("creature", triangles=6000)
exact = fathom.MeshField(mesh)
grid = fathom.build_grid(mesh, resolution=64)
points = np.random.default_rng(0).uniform(*mesh.bounds, size=(20_000, 3))
error = np.abs(grid.distance(points) - exact.distance(points))
print(f"grid of {grid.bytes / 1e6:.1f} MB: largest error {error.max():.2e} m, stated {grid.error_bound:.2e} m")
assert error.max() <= grid.error_bound

# %% Which way is out: gradients are unit almost everywhere, and a step along them reaches the surface.
outside = points[exact.distance(points) > 0.01][:500]
distance, gradient = exact.sample(outside)
assert np.abs(exact.distance(outside - distance[:, None] * gradient)).max() < 1e-9

# %% What can it be in these boxes? Always enclosed: no sample can prove it wrong.
corner = np.random.default_rng(1).uniform(-0.5, 0.4, size=(100, 3))
least, most = grid.range(corner, corner + 0.1)
middle = grid.distance(corner + 0.05)
assert (least <= middle).all() and (middle <= most).all()
print(f"{(least > 0).mean():.0%} of the boxes are proven free")

# %% A slice as values, and as a picture.
values = grid.distance(fathom.slice_points(grid, axis=1, size=200))
print("slice", values.shape, "from", values.min(), "to", values.max(), "m")
with tempfile.TemporaryDirectory() as folder:
    picture = pathlib.Path(folder) / "slice.png"
    fathom.write_png(picture, fathom.draw_slice(grid, axis=1, size=300))
    assert picture.stat().st_size > 1000

# %% Formulas combine, and bake into grids; a level of any field is a mesh again.
body = fathom.Formula("box(1, 1, 1)").round(0.1) - fathom.Formula("infinite_cylinder(0.3)")
surface = fathom.contour(fathom.AnalyticField(body), resolution=48)
assert surface.report().watertight and surface.report().genus == 1
