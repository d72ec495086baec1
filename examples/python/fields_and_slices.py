# %% [markdown]
# Fields: signed distance, gradient, and bounds over a box; a mesh, its grid, and an image of a slice.

# %%
import pathlib
import tempfile

import numpy as np

import fathom

# %% A generated mesh, as an exact field and as a grid.
mesh = fathom.make_shape("creature", triangles=6000)
exact = fathom.MeshField(mesh)
grid = fathom.build_grid(mesh, resolution=64)
points = np.random.default_rng(0).uniform(*mesh.bounds, size=(20_000, 3))
error = np.abs(grid.distance(points) - exact.distance(points))
print(f"grid of {grid.bytes / 1e6:.1f} MB: largest error {error.max():.2e} m, error bound {grid.error_bound:.2e} m")
assert error.max() <= grid.error_bound

# %% Gradients have unit length almost everywhere, and a step of the distance against them reaches the surface.
outside = points[exact.distance(points) > 0.01][:500]
distance, gradient = exact.sample(outside)
assert np.abs(exact.distance(outside - distance[:, None] * gradient)).max() < 1e-9

# %% Bounds on the values in these boxes: they enclose every value of the field.
corner = np.random.default_rng(1).uniform(-0.5, 0.4, size=(100, 3))
lower, upper = grid.range(corner, corner + 0.1)
middle = grid.distance(corner + 0.05)
assert (lower <= middle).all() and (middle <= upper).all()
print(f"{(lower > 0).mean():.0%} of the boxes are proven free")

# %% A slice as values, and as an image.
values = grid.distance(fathom.slice_points(grid, axis=1, size=200))
print("slice", values.shape, "from", values.min(), "to", values.max(), "m")
with tempfile.TemporaryDirectory() as folder:
    picture = pathlib.Path(folder) / "slice.png"
    fathom.write_png(picture, fathom.draw_slice(grid, axis=1, size=300))
    assert picture.stat().st_size > 1000

# %% Analytic shapes are combined with operators; an isosurface of any field is a mesh.
body = fathom.AnalyticExpression("box(1, 1, 1)").round(0.1) - fathom.AnalyticExpression("infinite_cylinder(0.3)")
surface = fathom.contour(fathom.AnalyticField(body), resolution=48)
assert surface.report().watertight and surface.report().genus == 1
