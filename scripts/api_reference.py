"""Makes the C++ API reference of the documentation site: one page per public header and an index, as Markdown.

    python3 scripts/api_reference.py fathom/public_headers.txt OUT_FOLDER   # the site calls pages() instead

The headers document themselves with plain // comments: before a declaration, behind it, or once for a run of
declarations up to the next blank line. Doxygen (with mkdoxy), MrDocs, doxide and standardese only read marked comments
(/// or /** */), and a filter that adds the marks cannot express that one comment describes several declarations: they
list all but the first as undocumented. Parsing is therefore left to tree-sitter, and this script only pairs the
comments with the declarations and writes the pages.
"""

from __future__ import annotations

import dataclasses
import html
import pathlib
import posixpath
import re
import sys
from typing import Dict, Iterator, List, Optional, Tuple

import pygments.lexers
import pygments.token
import tree_sitter
import tree_sitter_cpp

PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))
LEXER = pygments.lexers.CppLexer(stripnl=False, ensurenl=False)
TYPES = {"struct_specifier": "struct", "class_specifier": "class", "enum_specifier": "enum", "union_specifier": "union"}
HIDDEN_NAMESPACES = {"", "detail", "internal", "hwy"}
LONGEST_LINE = 100


# ---- Reading a header


@dataclasses.dataclass
class Item:
    """A type, a run of functions (kind "code"), a run of data members ("field") or a comment on its own ("remark")."""

    kind: str
    scope: str  # "World::" for members of World
    last_row: int
    comment: List[str] = dataclasses.field(default_factory=list)
    lines: List[Tuple[str, List[str]]] = dataclasses.field(default_factory=list)  # declaration, comment behind it
    names: List[str] = dataclasses.field(default_factory=list)
    members: List["Item"] = dataclasses.field(default_factory=list)
    anchor: str = ""

    @property
    def title(self) -> str:
        return self.scope + ", ".join(dict.fromkeys(self.names))


@dataclasses.dataclass
class Header:
    path: str  # "fathom/base/pose.h"
    comment: List[str]
    items: List[Item]
    includes: List[str]

    @property
    def page(self) -> str:
        return "api/" + self.path.removeprefix("fathom/").removesuffix(".h") + ".md"


def text_of(node) -> str:
    return node.text.decode()


def collapsed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def comment_text(node) -> str:
    return re.sub(r"^//+ ?", "", text_of(node)).rstrip()


def child_of_type(node, *types):
    return next((c for c in node.children if c.type in types), None)


def flattened(nodes) -> Iterator:
    """Children, with those of #if blocks in place of the blocks."""
    for node in nodes:
        if node.type in ("preproc_if", "preproc_ifdef", "preproc_else"):
            yield from flattened(node.children)
        else:
            yield node


def declared_names(node) -> List[str]:
    """The names that a declaration introduces."""
    found = []
    for declarator in node.children_by_field_name("declarator") or ([node.child_by_field_name("name")] if node.child_by_field_name("name") else []):
        while declarator is not None and declarator.child_by_field_name("declarator") is not None:
            declarator = declarator.child_by_field_name("declarator")
        if declarator is not None and declarator.type in ("reference_declarator", "init_declarator"):
            declarator = declarator.named_children[-1]
            while declarator.child_by_field_name("declarator") is not None:
                declarator = declarator.child_by_field_name("declarator")
        if declarator is not None:
            found.append(collapsed(text_of(declarator)))
    if not found and node.type == "field_declaration":  # conversion operators and the like
        found = [collapsed(text_of(c)) for c in node.children if c.type in ("operator_cast", "operator_name")]
    return [re.sub(r"\s*\(.*", "", name) if name.startswith("operator ") else name for name in found]


def is_function(node) -> bool:
    if node.type == "function_declarator":
        return True
    return any(is_function(c) for c in node.children_by_field_name("declarator")) or (
        node.type in ("reference_declarator", "pointer_declarator") and any(is_function(c) for c in node.named_children))


def signature(node) -> str:
    """A declaration without body and attributes, wrapped at the commas of its parameters where it is long."""
    end = node.end_byte
    for child in node.children:
        if child.type in ("compound_statement", "field_initializer_list", "try_statement"):
            end = child.start_byte
            break
    text = collapsed(node.text[: end - node.start_byte].decode()).rstrip(";").rstrip()
    text = re.sub(r"\[\[nodiscard\]\] ?|\binline (?!constexpr)|\bFATHOM_[A-Z_]+ ", "", text)
    if len(text) + 1 > LONGEST_LINE:
        text = re.sub(r"^([^(]*?) ?= ?\{.*\}$", r"\1 = {...}", text)  # the values of a long table
    if len(text) + 1 > LONGEST_LINE and "(" in text:
        text = wrapped(text)
    return text + ";"


def wrapped(text: str) -> str:
    """One parameter a line; the parameters are those in the first parentheses."""
    begin = text.index("(", text.index("operator()") + 10 if "operator()" in text else 0)
    depth, parts, start, last = 0, [], begin + 1, begin + 1
    for k in range(begin, len(text)):
        if text[k] in "([{<":
            depth += 1
        elif text[k] in ")]}>" and text[k - 1] != "-":
            depth -= 1
        if (text[k] == "," and depth == 1) or depth == 0:
            parts.append(text[start:k].strip())
            start = last = k + 1
        if depth == 0:
            break
    return text[: begin + 1] + "\n    " + ",\n    ".join(parts) + ")" + text[last:]


def is_noise(node, names: List[str], owner: str) -> bool:
    """Destructors, copies and moves: declared by rule, not to be read."""
    if not names or names[0].startswith("~") or names[0] == "operator=":
        return True
    parameters = re.search(r"\((.*)\)", collapsed(text_of(node)))
    return names[0] == owner and bool(parameters) and bool(re.fullmatch(rf"(const )?{owner} ?&&? ?\w*", parameters[1].split(")")[0]))


def type_parts(node) -> Optional[Tuple[object, str]]:
    """The struct, class or enum that a node defines and the template line before it."""
    if node.type in TYPES and node.child_by_field_name("body"):
        return node, ""
    if node.type == "template_declaration":
        inner = type_parts(node.named_children[-1])
        if inner:
            return inner[0], collapsed(node.text[: node.named_children[-1].start_byte - node.start_byte].decode()) + "\n"
    if node.type in ("field_declaration", "declaration") and not node.children_by_field_name("declarator"):
        inner = node.child_by_field_name("type")
        return type_parts(inner) if inner else None
    return None


class Reader:
    """Collects the items of one list of declarations."""

    def __init__(self, scope: str, owner: str, public: bool):
        self.scope, self.owner, self.public = scope, owner, public
        self.items: List[Item] = []
        self.pending: List[str] = []
        self.pending_row = -2
        self.behind: Optional[Tuple[List[str], int, int]] = None  # comment behind a declaration: its lines, row, column
        self.last_row, self.own_comment = -2, []

    def flush(self) -> None:
        if self.pending and self.public:
            self.items.append(Item("remark", self.scope, self.pending_row, self.pending))
        self.pending = []

    def comment(self, node) -> None:
        row, column = node.start_point
        text = comment_text(node)
        if self.behind and (row, column) == (self.behind[1] + 1, self.behind[2]):  # goes on below
            self.behind[0].append(text)
            self.behind = (self.behind[0], row, column)
            self.last_row = row
            if self.items:
                self.items[-1].last_row = row
        elif row == self.last_row and not self.pending:
            target = self.items[-1].lines[-1][1] if self.items and self.items[-1].lines else self.own_comment
            target.append(text)
            self.behind = (target, row, column)
        else:
            if self.pending_row + 1 != row or self.pending[-1:] and self.pending[-1].startswith("--"):
                self.flush()
            self.pending.append(text)
            self.pending_row, self.behind = row, None

    def take_comment(self, node) -> List[str]:
        if self.pending and self.pending_row + 1 != node.start_point.row:
            self.flush()
        taken, self.pending = self.pending, []
        return taken

    def add(self, kind: str, node, declaration: str, names: List[str]) -> Item:
        comment, row = self.take_comment(node), node.start_point.row
        before = self.items[-1] if self.items else None
        joins = before is not None and kind == before.kind and kind != "type" and not comment and before.last_row + 1 >= row
        if not joins:
            before = Item(kind, self.scope, row, comment)
            self.items.append(before)
        before.lines.append((declaration, []))
        before.names += names
        before.last_row = self.last_row = node.end_point.row
        self.behind = None
        return before

    def type(self, node, template: str) -> None:
        body, kind = node.child_by_field_name("body"), TYPES[node.type]
        name = collapsed(text_of(node.child_by_field_name("name"))) if node.child_by_field_name("name") else ""
        head = collapsed(node.text[: body.start_byte - node.start_byte].decode())
        item = self.add("type", node, template + head, [name])
        inner = Reader(self.scope + name + "::", name, kind != "class")
        inner.last_row = body.start_point.row
        inner.run(body.children, enum=kind == "enum")
        item.comment, item.members = item.comment + inner.own_comment, inner.items

    def declaration(self, node) -> None:
        inner = node.named_children[-1] if node.type == "template_declaration" else node
        names = declared_names(inner)
        if is_noise(inner, names, self.owner):
            self.take_comment(node)
            self.last_row = node.end_point.row
            return
        if node.type == "field_declaration" and not is_function(node):
            self.add("field", node, collapsed(text_of(node)).rstrip(";").replace("{}", ""), names)
            return
        text = signature(inner)
        if inner is not node:
            text = collapsed(node.text[: inner.start_byte - node.start_byte].decode()) + "\n" + text
        self.add("code", node, text, names)

    def run(self, nodes, enum: bool = False) -> None:
        for node in flattened(nodes):
            kind = node.type
            if kind == "comment":
                self.comment(node)
            elif kind == "access_specifier":
                self.flush()
                self.public = text_of(node).startswith("public")
            elif not self.public:
                self.pending, self.behind, self.last_row = [], None, node.end_point.row
            elif kind == "namespace_definition":
                self.flush()
                name = node.child_by_field_name("name")
                name = text_of(name) if name else ""
                if name in HIDDEN_NAMESPACES:
                    continue
                inside = name.removeprefix("fathom").removeprefix("::")
                inner = Reader(self.scope + (inside + "::" if inside else ""), "", True)
                inner.run(node.child_by_field_name("body").children)
                self.items += inner.items
            elif type_parts(node):
                self.type(*type_parts(node))
            elif enum and kind == "enumerator":
                self.add("field", node, collapsed(text_of(node)), [text_of(node.child_by_field_name("name"))])
            elif kind == "preproc_def" and text_of(node.child_by_field_name("name")).startswith("FATHOM_"):
                self.add("code", node, collapsed(text_of(node)), [text_of(node.child_by_field_name("name"))])
            elif kind in ("declaration", "function_definition", "field_declaration", "alias_declaration", "template_declaration", "concept_definition"):
                if kind == "field_declaration" and not node.children_by_field_name("declarator") and not declared_names(node):
                    self.pending = []  # a forward declaration
                else:
                    self.declaration(node)
        self.flush()


def check_syntax(path: str, node) -> None:
    """The grammar misses the type of `= {}`, which is harmless; anything else would lose declarations."""
    if (node.type == "ERROR" or node.is_missing) and node.parent.type != "compound_literal_expression":
        raise SyntaxError(f"{path}:{node.start_point.row + 1}: cannot parse: {text_of(node)[:60]}")
    for child in node.children:
        check_syntax(path, child)


def read_header(root: pathlib.Path, path: str) -> Header:
    file = next((f for f in (root / path, root / (path + ".in")) if f.exists()), None)
    if file is None:
        raise FileNotFoundError(f"{path} is listed as a public header, but does not exist")
    # The grammar does not know explicit instantiations; they declare nothing new.
    source = re.sub(rb"^extern template [^;]*;", lambda m: re.sub(rb"[^\n]", b" ", m[0]), file.read_bytes(), flags=re.M)
    tree = PARSER.parse(source).root_node
    check_syntax(path, tree)
    head = []
    for node in tree.children:
        if node.type != "comment":
            break
        head.append(comment_text(node))
    includes = re.findall(r"^#include <(fathom/[^>]+)>", source.decode(), re.M)
    reader = Reader("", "", True)
    reader.run([n for n in tree.children if n.type != "comment"])
    return Header(path, head, [i for i in reader.items if i.kind != "type" or i.members or i.comment], includes)


# ---- Writing pages

Symbols = Dict[str, Optional[Tuple[str, str]]]  # "World::add" -> page, anchor; None where a name is ambiguous


class Writer:
    """Writes one page. Text becomes HTML here, since comments are not Markdown: `a < b`, `|x|` and `*` are themselves."""

    def __init__(self, header: Header, symbols: Symbols, headers: List[Header]):
        self.header, self.symbols, self.headers = header, symbols, headers

    def url(self, page: str, anchor: str = "") -> str:
        target = posixpath.relpath(page.removesuffix(".md") + ".html", posixpath.dirname(self.header.page))
        return target + ("#" + anchor if anchor else "")

    def link(self, symbol: str, shown: str, scope: str = "") -> Optional[str]:
        found = self.symbols.get(scope + symbol) or self.symbols.get(symbol)
        return f'<a href="{self.url(*found)}">{shown}</a>' if found else None

    def words(self, text: str, scope: str, in_code: bool) -> str:
        """Escaped text with links to the names of the API and to headers in it."""

        def replace(match) -> str:
            shown = html.escape(match[0], quote=False)
            if match[0].endswith(".h"):
                ends = [h for h in self.headers if h.path == match[0] or h.path.endswith("/" + match[0])]
                return f'<a href="{self.url(ends[0].page)}">{shown}</a>' if len(ends) == 1 else shown
            name, called = re.subn(r"\(\)$", "", match[0])
            certain = in_code or called or "::" in name or re.search(r"[a-z0-9][A-Z]", name)
            return (certain and self.link(name, shown, scope)) or shown

        pattern, parts, end = r"[\w/]+\.h\b|(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*(?:\(\))?", [], 0
        for match in re.finditer(pattern, text):
            parts += [html.escape(text[end : match.start()], quote=False), replace(match)]
            end = match.end()
        return "".join(parts) + html.escape(text[end:], quote=False)

    def inline(self, text: str, scope: str = "") -> str:
        parts = re.split(r"`([^`]*)`", text)
        return "".join(f"<code>{self.words(p, scope, True)}</code>" if k % 2 else self.words(p, scope, False) for k, p in enumerate(parts))

    def paragraphs(self, comment: List[str], scope: str = "") -> str:
        """A comment as HTML: empty lines part paragraphs, lines that begin with a hyphen are a list, indented lines are code."""
        blocks: List[Tuple[str, str]] = []
        open_block = False
        for line in comment:
            listed = re.match(r"\s*- (.*)", line)
            if not line.strip():
                open_block = False
            elif not listed and re.match(r"   +\S", line) and (not blocks or blocks[-1][0] != "li"):
                if blocks and blocks[-1][0] == "pre":
                    blocks[-1] = ("pre", blocks[-1][1] + "\n" + line[3:])
                else:
                    blocks.append(("pre", line[3:]))
                open_block = False
            elif listed or not open_block:
                blocks.append(("li" if listed else "p", listed[1] if listed else line.strip()))
                open_block = True
            else:
                blocks[-1] = (blocks[-1][0], blocks[-1][1] + " " + line.strip())
        text = "".join(self.block(body, scope) if tag == "pre" else f"<{tag}>{self.inline(body, scope)}</{tag}>" for tag, body in blocks)
        return re.sub(r"((?:<li>.*?</li>)+)", r"<ul>\1</ul>", text)

    def code(self, text: str, scope: str = "") -> str:
        parts = []
        for token, value in LEXER.get_tokens(text):
            shown = html.escape(value, quote=False)
            linked = self.link(value, shown, scope) if token in pygments.token.Name and value[:1].isupper() else None
            style = next((pygments.token.STANDARD_TYPES[t] for t in reversed(token.split()) if t in pygments.token.STANDARD_TYPES), "")
            parts.append(linked or (f'<span class="{style}">{shown}</span>' if style and value.strip() else shown))
        return "".join(parts)

    def block(self, text: str, scope: str = "") -> str:
        return f'<div class="highlight"><pre><code>{self.code(text, scope)}</code></pre></div>'

    def fields(self, item: Item, first: str) -> List[str]:
        several = len(item.lines) > 1
        rows = []
        for declaration, behind in item.lines:
            about = self.paragraphs(([] if several else item.comment) + behind, item.scope)
            rows.append((f"<code>{self.code(declaration, item.scope)}</code>", about))
        lead = [self.paragraphs(item.comment, item.scope)] if several and item.comment else []
        return lead + [table(first, "Description", rows)]

    def functions(self, item: Item) -> List[str]:
        """Comments behind declarations stay in the code where there are several; else they are text."""
        several = len(item.lines) > 1
        lines = [line + ("  // " + collapsed(" ".join(behind)) if several and behind else "") for line, behind in item.lines]
        comment = item.comment + ([] if several else item.lines[0][1])
        return [self.block("\n".join(lines), item.scope), self.paragraphs(comment, item.scope)]

    def item(self, item: Item, level: int) -> List[str]:
        if item.kind == "remark":
            text = " ".join(item.comment)
            if re.match(r"-{2,} ", text):
                return [f"<p><strong>{self.inline(text.strip('- '), item.scope)}</strong></p>"]
            return [self.paragraphs(item.comment, item.scope)]
        if item.kind == "field":
            return self.fields(item, "Member")
        heading = "#" * level + " " + html.escape(item.title).replace("*", "\\*").replace("_", "\\_") + f" {{#{item.anchor}}}"
        if item.kind == "code":
            return [heading, *self.functions(item)]
        is_enum = item.lines[0][0].startswith("enum")
        parts = [heading, self.block(item.lines[0][0], item.scope), self.paragraphs(item.comment + item.lines[0][1], item.scope)]
        for member in item.members:
            parts += self.fields(member, "Enumerator") if is_enum and member.kind == "field" else self.item(member, min(level + 1, 4))
        return parts

    def page(self) -> str:
        parts = [f"# {self.header.path}", self.block(f"#include <{self.header.path}>"), self.paragraphs(self.header.comment)]
        for item in self.header.items:
            parts += self.item(item, 2)
        public = {h.path: h for h in self.headers}
        included = [public[i] for i in self.header.includes if i in public]
        if included:
            links = "".join(f'<li><a href="{self.url(h.page)}"><code>{h.path}</code></a></li>' for h in included)
            parts += ["## Public headers it includes {#includes}", f"<ul>{links}</ul>"]
        return "\n\n".join(p for p in parts if p) + "\n"


def table(left: str, right: str, rows: List[Tuple[str, str]]) -> str:
    body = "".join(f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in rows)
    return f'<div class="fields"><table><thead><tr><th>{left}</th><th>{right}</th></tr></thead><tbody>{body}</tbody></table></div>'


def anchors(items: List[Item], taken: set) -> Iterator[Tuple[str, Item]]:
    """Gives every heading an anchor; yields the names it stands for."""
    for item in items:
        if item.kind == "remark":
            continue
        if item.kind != "field":
            words = {"*": "times", "+": "plus", "-": "minus", "==": "equals", "[]": "index", "()": "call", "<": "less"}
            name = (item.scope + item.names[0]).replace("::", "-")
            if "operator" in name:
                name = re.sub(r"operator ?(\W+)$", lambda m: "operator-" + words.get(m[1], "other"), name)
            base = re.sub(r"[^\w-]+", "-", name).strip("-")
            item.anchor = next(a for k in range(1000) if (a := base + (f"-{k}" if k else "")) not in taken)
            taken.add(item.anchor)
            for name in item.names:
                yield item.scope + name, item
        yield from anchors(item.members, taken)


def find_symbols(headers: List[Header]) -> Symbols:
    symbols: Symbols = {}
    for header in headers:
        mine = {}
        for name, item in anchors(header.items, {"includes"}):
            mine.setdefault(name, (header.page, item.anchor))
        for name, place in mine.items():
            symbols[name] = None if name in symbols else place
    for name in [n for n in symbols if "::" in n and n.rpartition("::")[2][:1].isupper()]:  # nested types by their own name
        short = name.rpartition("::")[2]
        if short != name.split("::")[-2]:  # not constructors
            symbols[short] = None if short in symbols else symbols[name]
    return symbols


def first_sentence(comment: List[str]) -> str:
    text = " ".join(comment).strip()
    return re.split(r"(?<=[.:?])\s+(?=[A-Z])", text, maxsplit=1)[0]


def modules(headers: List[Header]) -> Dict[str, List[Header]]:
    """Headers by folder below fathom/, in the order of the list."""
    found: Dict[str, List[Header]] = {}
    for header in headers:
        found.setdefault(header.path.split("/")[1] if header.path.count("/") > 1 else "fathom", []).append(header)
    return found


def index_page(headers: List[Header], symbols: Symbols) -> str:
    writer = Writer(Header("fathom/index.h", [], [], []), symbols, headers)
    parts = ["# C++ API", "The public headers and what they declare. Everything is in `namespace fathom`. Headers that are not listed here "
             "are internal and may change at any time."]
    for module, members in modules(headers).items():
        rows = []
        for h in members:
            names = {item.scope + n: item.anchor for item in reversed(h.items) if item.kind in ("type", "code") for n in reversed(item.names)}
            shown = ", ".join(f'<a href="{writer.url(h.page, a)}"><code>{html.escape(n)}</code></a>' for n, a in reversed(names.items()))
            rows.append((f'<a href="{writer.url(h.page)}"><code>{h.path}</code></a>', f"{writer.inline(first_sentence(h.comment))}<br>{shown}"))
        parts += [f"## {module}", table("Header", "Contents", rows)]
    return "\n\n".join(parts) + "\n"


def read_list(root: pathlib.Path, listing: pathlib.Path) -> List[Header]:
    lines = [line.split("#")[0].strip() for line in listing.read_text().splitlines()]
    return [read_header(root, line) for line in lines if line]


def pages(root: pathlib.Path, listing: pathlib.Path) -> Tuple[Dict[str, str], List[Header], Symbols]:
    """The pages by their path in the site, the headers, and the place of every name."""
    headers = read_list(root, listing)
    symbols = find_symbols(headers)
    written = {h.page: Writer(h, symbols, headers).page() for h in headers}
    written["api/index.md"] = index_page(headers, symbols)
    return written, headers, symbols


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for name, text in pages(pathlib.Path.cwd(), pathlib.Path(sys.argv[1]))[0].items():
        target = pathlib.Path(sys.argv[2]) / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
