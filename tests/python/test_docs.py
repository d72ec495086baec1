"""Every Python snippet of docs/python.md and of the README runs, and every public name has a docstring."""

import re

import fathom


def snippets(page):
    return re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.S)


def test_every_snippet_runs(source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FATHOM_SOURCE", str(source))
    found = snippets(source / "docs" / "python.md") + snippets(source / "README.md")
    assert len(found) >= 7
    for k, text in enumerate(found):
        exec(compile(text, f"snippet {k + 1}", "exec"), {"__name__": "__main__"})


def test_every_public_name_is_documented():
    for name in fathom.__all__:
        assert getattr(fathom, name).__doc__, name
    for name, kind in vars(fathom._core).items():
        if isinstance(kind, type):
            for member, value in vars(kind).items():
                if callable(value) and not member.startswith("_"):
                    assert value.__doc__, f"{name}.{member}"


def test_every_exported_name_exists_and_is_listed_once():
    assert len(set(fathom.__all__)) == len(fathom.__all__)
    assert all(hasattr(fathom, name) for name in fathom.__all__)
