"""pip installs the package into a clean virtual environment, where the example hello.py and the tests run. Long: it compiles the library again."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.environ.get("FATHOM_LONG") != "1", reason="long (FATHOM_LONG=1)")


def test_the_package_installed_by_pip_passes_the_tests(source, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    plain = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "FATHOM_LONG")}
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", "pytest", f"--config-settings=build-dir={tmp_path / 'build'}", str(source)], check=True, env=plain)
    where = subprocess.run([str(python), "-c", "import fathom; print(fathom.__file__)"], check=True, env=plain, cwd=tmp_path, capture_output=True, text=True).stdout
    assert str(tmp_path / "venv") in where
    subprocess.run([str(python), str(source / "examples" / "python" / "hello.py")], check=True, env=plain, cwd=tmp_path)
    subprocess.run([str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", str(source / "tests" / "python")], check=True, env=plain, cwd=tmp_path)
