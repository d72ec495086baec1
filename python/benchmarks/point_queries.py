"""Overhead of the Python bindings: a million points from Python and the C++ batch on the same points, in the same process.

    PYTHONPATH=build/release/python python3 python/benchmarks/point_queries.py [--points 1000000] [--repeats 7] [--threads 1]

"C++" is Field::distances() on an array of double, on one thread; "C++ parallel" is the same in blocks on all threads, as in the call from Python.
"ratio" compares Python with the latter: the cost of the bindings alone. Results must be identical bit for bit. Times are the minimum over the repeats,
which alternate between the variants.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import fathom


def least(repeats, call):
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def fields(count):
    mesh = fathom.make_shape("creature", triangles=20_000)
    # A query of a mesh takes microseconds: fewer points suffice for the ratio.
    return [
        ("analytic", fathom.AnalyticField("smooth_union(sphere(0.4), box(0.3, 0.6, 0.9), 0.2)"), count),
        ("grid", fathom.build_grid(mesh, resolution=128), count),
        ("mesh", fathom.MeshField(mesh), max(count // 10, 1)),
    ]


def rows(count, repeats):
    random = np.random.default_rng(1)
    for name, field, some in fields(count):
        points = random.uniform(-0.6, 0.6, size=(some, 3))
        for kind in (np.float64, np.float32):
            given = points.astype(kind)
            out = np.empty(some)
            serial = parallel = python = reused = float("inf")
            for _ in range(repeats):  # alternating, so that other load affects all variants alike
                parallel = min(parallel, field._batch_seconds(given, repeats=1, parallel=True))
                python = min(python, least(1, lambda: field.distance(given)))
                reused = min(reused, least(1, lambda: field.distance(given, out=out)))
                serial = min(serial, field._batch_seconds(given, repeats=1))
            assert np.array_equal(field.distance(given), field.distance(given.astype(np.float64)))
            yield name, kind.__name__, some, serial, parallel, python, reused


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--threads", type=int, default=0, help="number of threads; 0 uses all, 1 is more stable under other load")
    options = parser.parse_args()
    fathom.set_thread_count(options.threads)
    print(f"{fathom.thread_count()} threads, nanoseconds per point")
    print(f"{'field':8} {'points':8} {'count':>8} {'C++':>9} {'C++ parallel':>13} {'Python':>9} {'with out=':>10} {'ratio':>6} {'with out=':>10}")
    for name, kind, count, serial, parallel, python, reused in rows(options.points, options.repeats):
        ns = [1e9 * seconds / count for seconds in (serial, parallel, python, reused)]
        print(f"{name:8} {kind:8} {count:8} {ns[0]:9.1f} {ns[1]:13.1f} {ns[2]:9.1f} {ns[3]:10.1f} {python / parallel:6.2f} {reused / parallel:10.2f}")


if __name__ == "__main__":
    main()
