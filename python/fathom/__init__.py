"""Fathom: collision detection, signed distance, penetration depth and time of impact for every kind of geometry.

    >>> import fathom
    >>> ball = fathom.AnalyticField("sphere(1)")
    >>> ball.distance([[0, 0, 3], [0, 0, 0]])
    array([ 2., -1.])

Units are metres, seconds, kilograms and radians. Distances are signed, positive outside. Points are arrays (..., 3); poses are 4x4 matrices
(..., 4, 4), or tuples (translation, quaternion w x y z). Boxes are [lower, upper], (2, 3). Long calls release the GIL.
"""

from ._choices import *  # noqa: F401,F403
from ._core import *  # noqa: F401,F403
from ._core import __version__  # noqa: F401
from ._errors import Cancelled, Error, FileError, InputError, MissingFileError, Place, RangeError, Unsupported  # noqa: F401

from ._results import *  # noqa: F401,F403

from . import _choices, _core, _results

__all__ = sorted(
    [name for module in (_core, _choices) for name in vars(module) if not name.startswith("_") and name not in ("annotations", "enum")]
    + _results.__all__
    + ["Cancelled", "Error", "FileError", "InputError", "MissingFileError", "Place", "RangeError", "Unsupported"]
)
