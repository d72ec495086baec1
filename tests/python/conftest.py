import os
import pathlib

import numpy as np
import pytest


@pytest.fixture(scope="session")
def source():
    """The folder of the project."""
    return pathlib.Path(os.environ.get("FATHOM_SOURCE", pathlib.Path(__file__).parents[2]))


@pytest.fixture()
def random():
    return np.random.default_rng(20140601)
