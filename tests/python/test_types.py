"""The type annotations of the package and its stub pass mypy, and they reject wrong calls."""

import importlib.util
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mypy") is None, reason="mypy is not installed: the annotations of fathom and fathom._core are not checked"
)


def mypy(source, tmp_path, *arguments):
    """The exit code and the output of mypy, which finds fathom in the sources."""
    command = [sys.executable, "-m", "mypy", "--config-file=", f"--cache-dir={tmp_path / 'cache'}", *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(source / "python")}, cwd=tmp_path)
    return run.returncode, run.stdout + run.stderr


def test_the_package_and_its_stub_pass_mypy(source, tmp_path):
    code, output = mypy(source, tmp_path, source / "python" / "fathom")
    assert code == 0, output


def test_a_wrong_keyword_is_rejected(source, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import fathom\n"
        "mesh = fathom.read_triangle_mesh('a.obj')\n"
        "mesh.report(self_intersections=True)\n"
        "mesh.report(intersections=True)\n"
    )
    code, output = mypy(source, tmp_path, program)
    errors = [line for line in output.splitlines() if "error:" in line]
    assert code == 1 and len(errors) == 1 and "program.py:4" in errors[0], output
