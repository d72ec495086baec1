"""Every example runs, and is divided into notebook cells."""

import os
import pathlib
import runpy

import pytest

FOLDER = pathlib.Path(os.environ.get("FATHOM_SOURCE", pathlib.Path(__file__).parents[2])) / "examples" / "python"
EXAMPLES = sorted(FOLDER.glob("*.py"))


def test_there_are_examples():
    assert len(EXAMPLES) >= 6


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path):
    assert path.read_text().count("# %%") >= 3
    runpy.run_path(str(path), run_name="__main__")
