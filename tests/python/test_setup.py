"""scripts/setup.sh configures again when packages have changed, and says which tests are left out. CMake, ninja and dpkg are replaced by stubs."""

import os
import shutil
import stat
import subprocess

import pytest

CMAKE = """#!/bin/sh
echo "$@" >>calls.txt
folder=build/$2
tests=$(echo "$@" | sed 's/.*-DFATHOM_TESTS=//')
printf 'FATHOM_TESTS:BOOL=%s\\nFATHOM_PYTHON_MISSING:INTERNAL=%s\\n' "$tests" "$MISSING" >$folder/CMakeCache.txt
touch $folder/build.ninja
"""


@pytest.fixture()
def project(source, tmp_path):
    """A folder with the scripts, and the stubs of the programs that they call."""
    shutil.copytree(source / "scripts", tmp_path / "scripts")
    for name, text in {"cmake": CMAKE, "ninja": "#!/bin/sh\n", "dpkg-query": '#!/bin/sh\necho "$VERSION"\n'}.items():
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return tmp_path


def call(project, words, version="1", missing=""):
    """Returns the messages of the shell functions, and the calls of CMake so far."""
    env = {**os.environ, "PATH": f"{project / 'bin'}:{os.environ['PATH']}", "VERSION": version, "MISSING": missing}
    run = subprocess.run(["bash", "-c", f"source scripts/setup.sh; {words}"], cwd=project, env=env, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stderr, (project / "calls.txt").read_text().splitlines()


def test_a_folder_is_configured_once(project):
    assert "configuring release" in call(project, "build release tool")[0]
    said, calls = call(project, "build release tool")
    assert said == "" and len(calls) == 1


def test_new_packages_cause_another_configuration(project):
    call(project, "build release", version="1")
    said, calls = call(project, "build release", version="2")
    assert "again" in said and len(calls) == 2
    assert len(call(project, "build release", version="2")[1]) == 2


def test_tests_are_configured_when_everything_is_built_and_stay(project):
    assert call(project, "build release tool")[1][-1].endswith("-DFATHOM_TESTS=OFF")
    assert call(project, "build release")[1][-1].endswith("-DFATHOM_TESTS=ON")
    assert len(call(project, "build release tool")[1]) == 2


def test_python_tests_that_are_left_out_are_named_with_the_reason(project):
    said, _ = call(project, "build release; say_what_is_left_out release", missing="pybind11 was not found")
    assert "release: the Python tests are left out: pybind11 was not found" in said
    said, _ = call(project, "build release; say_what_is_left_out release", version="2")
    assert "left out" not in said
