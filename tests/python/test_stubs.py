"""The type stub contains every name of the extension, and no others."""

import ast
import importlib.util

import fathom
from fathom import _core


def stub_of(source):
    return ast.parse((source / "python" / "fathom" / "_core.pyi").read_text())


def names_in(body):
    names = {}
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            names[node.target.id] = node
    return names


def test_every_public_name_is_in_the_stub(source):
    known = names_in(stub_of(source).body)
    for name, value in vars(_core).items():
        if name.startswith("__"):
            continue
        assert name in known, name
        if isinstance(value, type):
            members = names_in(known[name].body)
            for member in vars(value):
                assert member.startswith("_") or member in members, f"{name}.{member}"


def test_the_stub_contains_no_other_names(source):
    for name, node in names_in(stub_of(source).body).items():
        assert hasattr(_core, name), name
        if isinstance(node, ast.ClassDef):
            assert all(hasattr(getattr(_core, name), member) for member in names_in(node.body)), name


def test_the_stub_is_the_output_of_its_script(source):
    spec = importlib.util.spec_from_file_location("stubs", source / "python" / "stubs.py")
    stubs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stubs)

    def shape(text):
        """Names and arguments only: the spelling of types depends on the version of pybind11."""
        tree = ast.parse(text)
        return [(node.name, [a.arg for a in node.args.args + node.args.kwonlyargs]) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]

    assert shape((source / "python" / "fathom" / "_core.pyi").read_text()) == shape(stubs.stub(_core))


def test_the_stub_compiles(source):
    path = source / "python" / "fathom" / "_core.pyi"
    compile(path.read_text(), str(path), "exec", dont_inherit=True)


def test_arguments_whose_names_begin_with_self_are_kept(source):
    report = names_in(names_in(stub_of(source).body)["TriangleMesh"].body)["report"]
    assert [argument.arg for argument in report.args.args] == ["self", "self_intersections"]


def test_the_package_is_typed():
    import pathlib

    assert (pathlib.Path(fathom.__file__).parent / "py.typed").exists()
