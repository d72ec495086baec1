"""The benchmark runs, and its results are identical bit for bit. Timings do not fail a test."""

import subprocess
import sys


def test_the_table_of_point_queries_is_printed(source):
    script = source / "python" / "benchmarks" / "point_queries.py"
    run = subprocess.run([sys.executable, str(script), "--points", "3000", "--repeats", "1"], capture_output=True, text=True, check=True)
    rows = [line.split() for line in run.stdout.splitlines()[2:]]
    assert [(row[0], row[1]) for row in rows] == [(field, kind) for field in ("analytic", "grid", "mesh") for kind in ("float64", "float32")]
    assert all(float(number) > 0 for row in rows for number in row[3:])
