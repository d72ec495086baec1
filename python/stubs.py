"""Writes python/fathom/_core.pyi from the docstrings of the built extension: python3 python/stubs.py, with the build tree on PYTHONPATH.

pybind11 provides names, defaults and the types of simple arguments. The tables below give the types that pybind11 calls `object`: of arguments by
their name, of results by "Class.method".
"""

from __future__ import annotations

import pathlib
import re
import sys

ARRAYS = "points lower upper vertices triangles tetrahedra positions heights values origin spacing center move axis normal direction translation quaternion pixels"
ARGUMENTS = {
    **{name: "ArrayLike" for name in ARRAYS.split()},
    "pose": "PoseLike", "pose_a": "PoseLike", "pose_b": "PoseLike", "poses": "PoseLike", "start": "PoseLike", "end": "PoseLike",
    "motion": "MotionLike", "motion_a": "MotionLike", "motion_b": "MotionLike",
    "a": "ShapeLike", "b": "ShapeLike", "shape": "ShapeLike", "geometry": "Union[ShapeLike, ArrayLike]",
    "box": "Optional[ArrayLike]", "domain": "Optional[ArrayLike]", "out": "Optional[np.ndarray]",
    "progress": "Optional[Progress]", "filter": "Optional[Callable[[int, int], bool]]",
    "expression": "Union[str, AnalyticExpression]", "path": "Union[str, os.PathLike[str]]", "folder": "Union[str, os.PathLike[str]]", "model_folder": "Union[str, os.PathLike[str]]",
}
OPTIONAL = {"origin", "axis", "translation", "quaternion"}  # those whose default is None
RESULTS = {
    "Field.distance": "Any", "Field.__call__": "Any", "Field.sample": "Tuple[Any, np.ndarray]", "Field.gradient": "np.ndarray", "Field.contains": "Any",
    "Field.range": "Tuple[Any, Any]", "collide": "Any", "distance": "Any", "sweep": "Any", "matrix": "List[_results.MatrixRow]", "World.cast": "_results.RayHits",
    "World.collide": "List[Tuple[int, CollideResult]]", "World.nearest": "Tuple[Optional[int], Optional[DistanceResult]]", "World.sweep": "Tuple[Optional[int], SweepResult]",
    "World.cast_all": "_results.RayHits", "World.overlapping_box": "List[int]", "World.containing": "List[Tuple[int, Optional[int], float]]",
    "Contact.part_a": "Optional[int]", "Contact.part_b": "Optional[int]", "World.check_poses": "Any", "World.clearances": "Any", "Shape.closest": "_results.ClosestPoints", "make_shape": "Any",
    "shape_catalogue": "Dict[str, Tuple[str, Dict[str, Tuple[float, float, float, str, str]]]]", "fit_network": "Tuple[NeuralField, Dict[str, float]]",
    "Recording.contacts": "Dict[str, np.ndarray]", "Recording.pairs": "Dict[str, np.ndarray]", "methods_for": "List[Tuple[Method, str]]", "MeshReport.self_intersections": "Optional[int]",
    "Contact.element_a": "Optional[int]", "Contact.element_b": "Optional[int]", "NeuralField.layers": "List[Tuple[np.ndarray, np.ndarray, Activation]]",
}
# Arguments whose type depends on the function.
SPECIAL = {"World.move.id": "Union[int, Sequence[int]]", "World.move.pose": "PoseLike", "NeuralField.__init__.layers": "Sequence[Tuple[ArrayLike, ArrayLike, str]]",
           "CombinedField.__init__.a": "Field", "CombinedField.__init__.b": "Field", "methods_for.a": "str", "methods_for.b": "str", "GridField.combine.other": "GridField",
           "HeightField.height.x": "float", "tetrahedralize.tetrahedra": "int", "draw_slice.spacing": "float", "draw_slice.axis": "int", "slice_points.axis": "int",
           "Shape.compound.parts": "Sequence[Union[ShapeLike, Tuple[ShapeLike, PoseLike], CompoundPart]]", "World.overlapping_box.box": "ArrayLike", "World.containing.point": "ArrayLike",
           "random_shell.spacing": "float", "repelled_shell.spacing": "float", "AnalyticExpression.__init__.shapes": "Sequence[AnalyticExpression]", "set_thread_count.count": "int", "sweep.path": "str"}
CHOICES = {"Method": "method", "MeshInterior": "interior", "ShapeKind": "kind", "Status": "status", "SignMethod": "sign", "DistanceKind": "distance_kind"}

HEAD = '''# Written by python/stubs.py; a test compares it with the extension.
from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union, overload

import numpy as np
from numpy.typing import ArrayLike

from . import _results
from ._choices import Activation, DistanceKind, MeshInterior, Method, ShapeKind, SignMethod, Status

PoseLike = Union[None, ArrayLike, Tuple[ArrayLike, ArrayLike]]  # (..., 4, 4), or (translation (..., 3), quaternion w x y z (..., 4))
MotionLike = Union["Motion", PoseLike]
ShapeLike = Any  # Shape, Field, TriangleMesh, TetMesh, PointShell, AnalyticExpression or its text, any object with vertices and faces
Progress = Callable[[str, float], Optional[bool]]

__version__: str
'''


def split(text: str) -> list:
    """Splits at commas outside of brackets and quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for k, c in enumerate(text):
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c in "([{<":
            depth += 1
        elif c in ")]}>" and not (c == ">" and text[k - 1] == "-"):
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:k].strip())
            start = k + 1
    return [p for p in parts + [text[start:].strip()] if p]


def plain(kind: str) -> str:
    kind = kind.replace("fathom._core.", "").replace("numpy.ndarray", "np.ndarray").replace("os.PathLike", "Union[str, os.PathLike[str]]")
    return {"object": "Any", "handle": "Any", "list": "List[Any]", "dict": "Dict[str, Any]", "tuple": "Tuple[Any, ...]", "kwargs": "Any"}.get(kind, kind)


def argument(text: str, owner: str) -> str:
    if re.match(r"self\b", text):
        return "self"
    if text.startswith("**"):
        return "**parameters: float"
    if text == "*":
        return text
    name, _, rest = text.partition(":")
    kind, _, default = rest.partition(" = ")
    name = name.strip()
    kind = SPECIAL.get(f"{owner}.{name}") or (ARGUMENTS.get(name) if kind.strip() in ("object", "handle", "os.PathLike") or name in ("expression", "path") else None) or plain(kind.strip())
    if default.strip() == "None" and name in OPTIONAL:
        kind = f"Optional[{kind}]"
    return f"{name}: {kind}" + (" = ..." if default else "")


def signature(line: str):
    match = re.match(r"^(?:\d+\. )?(\w*)\((.*)\)(?: -> (.*))?$", line)
    return match and (match[1], split(match[2]), match[3] or "None")


def signatures(doc: str) -> list:
    lines = doc.splitlines()
    overloaded = len(lines) > 1 and lines[1].startswith("Overloaded function")
    found = [signature(line) for line in lines if re.match(r"^\d+\. " if overloaded else r"^\w*\(", line)]
    return [s for s in (found if overloaded else found[:1]) if s]


def result(owner: str, kind: str, bases: list) -> str:
    for name in [owner, *(f"{base}.{owner.rpartition('.')[2]}" for base in bases)]:
        if name in RESULTS:
            return RESULTS[name]
    return plain(kind)


def function(name: str, doc: str, owner: str, indent: str, bases: list) -> list:
    lines = []
    found = signatures(doc)
    for _, arguments, kind in found:
        if len(found) > 1:
            lines.append(f"{indent}@overload")
        texts = [argument(a, owner) for a in arguments]
        returned = "bool" if name == "__eq__" else "None" if name == "__init__" else result(owner, kind, bases)
        if name == "__eq__":
            texts = ["self", "other: object"]
        lines.append(f"{indent}def {name}({', '.join(texts)}) -> {returned}: ...")
    return lines


def member(owner: str, name: str, value, bases: list) -> list:
    if isinstance(value, property):
        found = signatures(value.fget.__doc__ or "")
        kind = found[0][2] if found else "Any"
        choice = next((c for c, n in CHOICES.items() if n == name and kind == "str"), None)
        return ["    @property", f"    def {name}(self) -> {choice or result(f'{owner}.{name}', kind, bases)}: ..."]
    if isinstance(value, staticmethod):
        return ["    @staticmethod", *function(name, value.__func__.__doc__ or "", f"{owner}.{name}", "    ", bases)]
    if callable(value) and value.__doc__ and "(" in value.__doc__:
        return function(name, value.__doc__, f"{owner}.{name}", "    ", bases)
    return []


KEPT = ("__init__", "__call__", "__len__", "__getitem__", "__contains__", "__bool__", "__float__", "__eq__", "__or__", "__and__", "__sub__", "__invert__")


def class_lines(cls) -> list:
    bases = [b.__name__ for b in cls.__mro__[1:] if b.__module__ == "fathom._core"]
    lines = ["", f"class {cls.__name__}({bases[0]}):" if bases else f"class {cls.__name__}:"]
    for name, value in sorted(vars(cls).items()):
        if not name.startswith("_") or name in KEPT or name == "_batch_seconds":
            lines += member(cls.__name__, name, value, bases)
    return lines if len(lines) > 2 else lines + ["    ..."]


def ordered(classes: list) -> list:
    return sorted(classes, key=lambda c: (len(c.__mro__), c.__name__))


def stub(core) -> str:
    public = {name: value for name, value in vars(core).items() if not name.startswith("__")}
    lines = []
    for cls in ordered([v for v in public.values() if isinstance(v, type)]):
        lines += class_lines(cls)
    lines.append("")
    for name, value in sorted(public.items()):
        if not isinstance(value, type) and callable(value):
            lines += function(name, value.__doc__ or "", name, "", [])
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.path.pop(0)  # the sources beside this script do not contain the extension
    import fathom._core

    target = pathlib.Path(__file__).parent / "fathom" / "_core.pyi"
    text = stub(fathom._core)
    if "--check" in sys.argv:
        sys.exit(target.read_text() != text)
    target.write_text(text)
