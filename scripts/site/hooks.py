"""MkDocs hooks: what the site shows beyond docs/.

- Pages of the repository outside docs/ (README.md is the home page).
- The C++ API reference, made from the headers by scripts/api_reference.py, and links from the prose to it.
- Links to files of the repository: to their page where they have one, else to a page that shows the file.
"""

from __future__ import annotations

import pathlib
import posixpath
import re
import sys
from typing import Dict, Iterator, Optional

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, InclusionLevel
from mkdocs.utils import get_relative_url

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import api_reference  # noqa: E402

REPOSITORY_PAGES = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "scenes/README.md": "scenes/README.md",
}
LANGUAGES = {".h": "cpp", ".cpp": "cpp", ".py": "python", ".toml": "toml", ".json": "json", ".txt": "text", ".ts": "typescript", ".sh": "bash"}
LINK = re.compile(r"""(\]\(|(?:src|href)=")([^)\s"#]+)""")

generated: Dict[str, str] = {}  # page in the site -> its Markdown
page_of: Dict[str, str] = {}  # file or folder of the repository -> its page in the site
origin_of: Dict[str, str] = {}  # page in the site -> file of the repository
symbols: api_reference.Symbols = {}


def api_pages(config) -> None:
    try:
        written, headers, names = api_reference.pages(ROOT, ROOT / "fathom/public_headers.txt")
    except (OSError, SyntaxError) as error:
        raise PluginError(str(error)) from error
    generated.update(written)
    symbols.update(names)
    page_of.update({h.path: h.page for h in headers})
    generated["api/python.md"] = "# Python API\n\n::: fathom\n\n## fathom.compat.trimesh\n\n::: fathom.compat.trimesh\n    options:\n      heading_level: 3\n"
    section = [{"Overview": "api/index.md"}]
    for module, members in api_reference.modules(headers).items():
        section.append({module: [{h.path.removeprefix(f"fathom/{module}/").removeprefix("fathom/"): h.page} for h in members]})
    for entry in config.nav:
        if "C++ API" in entry:
            entry["C++ API"] = section


def linked_files(markdown: str, folder: str) -> Iterator[str]:
    """Files and folders of the repository that a page in `folder` links to."""
    for _, target in LINK.findall(markdown):
        path = posixpath.normpath(posixpath.join(folder, target))
        if "://" not in target and not path.startswith("..") and (ROOT / path).exists():
            yield path


def source_page(path: str) -> str:
    """A page that shows a file, or lists a folder."""
    head = f"---\nsearch:\n  exclude: true\n---\n\n# {path}\n\n"
    if (ROOT / path).is_dir():
        return head + "\n".join(f"- `{f.name}{'/' if f.is_dir() else ''}`" for f in sorted((ROOT / path).iterdir()) if f.name[0] != ".") + "\n"
    return head + f"~~~~~ {LANGUAGES.get(pathlib.Path(path).suffix, 'text')}\n{(ROOT / path).read_text()}\n~~~~~\n"


def on_config(config):
    for mapping in (generated, page_of, origin_of, symbols):
        mapping.clear()
    api_pages(config)
    page_of.update(REPOSITORY_PAGES)
    for name in ("site.css", "iframe-worker.js"):
        generated[name] = (ROOT / "scripts/site" / name).read_text()
    return config


def on_files(files, config):
    for path, page in REPOSITORY_PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / path).read_text()))
        origin_of[page] = path
    for file in list(files):
        if file.src_uri not in origin_of:
            page_of["docs/" + file.src_uri] = file.src_uri
            origin_of[file.src_uri] = "docs/" + file.src_uri
    for page in [f for f in files if f.is_documentation_page()]:
        for path in linked_files(page.content_string, posixpath.dirname(origin_of[page.src_uri])):
            if path not in page_of and path + "/README.md" in page_of:
                page_of[path] = page_of[path + "/README.md"]
            elif path not in page_of:
                page_of[path] = f"source/{path}.md"
                generated[page_of[path]] = source_page(path)
    for page, text in generated.items():
        level = InclusionLevel.NOT_IN_NAV if page.startswith("source/") else InclusionLevel.UNDEFINED
        files.append(File.generated(config, page, content=text, inclusion=level))
    return files


def on_page_markdown(markdown, page, config, files):
    """Links from the place of the file in the repository to the place of its page in the site."""
    origin = origin_of.get(page.file.src_uri)
    if origin is None:
        return markdown

    def replace(match) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(origin), match[2]))
        if path not in page_of:
            return match[0]  # elsewhere, or broken: then MkDocs reports it
        target = posixpath.relpath(page_of[path], posixpath.dirname(page.file.src_uri) or ".")
        if match[1] != "](":  # HTML is not rewritten by MkDocs
            target = re.sub(r"\.md$", ".html", target)
        return match[1] + target

    return LINK.sub(replace, markdown)


def linked_name(match, url: str) -> Optional[str]:
    name = re.sub(r"\(.*\)$", "", match[1]).removeprefix("fathom::")
    place = (page_of[name], "") if name.endswith(".h") and name in page_of else symbols.get(name)
    if place is None or not (re.search(r"\(|\.h$", match[1]) or name[:1].isupper()):
        return None
    target = get_relative_url(place[0].removesuffix(".md") + ".html", url)
    return f'<a href="{target}{"#" + place[1] if place[1] else ""}">{match[0]}</a>'


def on_page_content(content, page, config, files):
    """Names and headers of the C++ API in code spans become links; not on the API pages, which have their own."""
    if page.file.src_uri not in origin_of or page.file.src_uri == "python.md":
        return content
    pattern = r"<pre.*?</pre>|<a .*?</a>|<h\d.*?</h\d>|<code>([\w:]+(?:\(\))?|[\w/]+\.h)</code>"
    return re.sub(pattern, lambda m: (m[1] and linked_name(m, page.url)) or m[0], content, flags=re.S)


def on_post_build(config):
    """Every link and anchor of the built pages works, raw HTML included, and nothing is loaded from the network."""
    site = pathlib.Path(config.site_dir)
    texts = {p.relative_to(site).as_posix(): p.read_text() for p in site.rglob("*.html")}
    anchors = {name: set(re.findall(r'\b(?:id|name)="([^"]+)"', text)) for name, text in texts.items()}
    faults = []
    for name, text in texts.items():
        if name == "404.html":
            continue
        for tag, target in re.findall(r'<(a|img|script|link)\b[^>]*?\b(?:href|src)="([^"]+)"', text):
            if re.match(r"[a-z]+:", target):
                if tag != "a" and not target.startswith("data:"):
                    faults.append(f"{name} loads {target}")
                continue
            file, _, anchor = target.partition("#")
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), file)) if file else name
            if not (site / path).is_file():
                faults.append(f"{name} links to {target}: there is no such file")
            elif anchor and anchor not in anchors.get(path, set()) and anchor != "__":
                faults.append(f"{name} links to {target}: there is no such anchor")
    if faults:
        raise PluginError("broken links:\n  " + "\n  ".join(sorted(set(faults))[:50]))
