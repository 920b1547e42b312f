"""What a piece of code reads of the names around it, and what it binds there.

Read from the syntax, not from compiled tables: those differ between Pythons, as
comprehensions are functions of their own up to 3.11 and parts of their cell since.
"""

import ast
from collections.abc import Iterable, Sequence

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class Names(ast.NodeVisitor):
    """The names of one scope, in the order in which its code runs.

    reads: those that are read before the code binds them.
    later: those that its functions read, whenever they are called.
    binds: those that it binds.
    """

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.reads: set[str] = set()
        self.later: set[str] = set()
        self.binds: set[str] = set(known)

    def all(self, *nodes: ast.AST | None) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.binds.add(node.id)
        elif node.id not in self.binds:
            self.reads.add(node.id)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.all(node.value, *node.targets)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.all(node.value, node.target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.visit(ast.Name(node.target.id, ast.Load()))
        self.all(node.value, node.target)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.all(node.value, node.target)

    def visit_For(self, node: ast.For) -> None:
        self.all(node.iter, node.target, *node.body, *node.orelse)

    def visit_alias(self, node: ast.alias) -> None:
        self.binds.add(node.asname or node.name.partition(".")[0])

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self.binds |= {node.name} if node.name else set()
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.all(*node.decorator_list)
        self.binds.add(node.name)
        self._function(node.args, node.body)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._function(node.args, [node.body])

    def _function(self, args: ast.arguments, body: Sequence[ast.AST]) -> None:
        self.all(*args.defaults, *args.kw_defaults)
        own = Names(node.arg for node in ast.walk(args) if isinstance(node, ast.arg))
        own.all(*body)
        inner = Names(own.binds)  # bound anywhere in a function is its own everywhere
        inner.all(*body)
        self.later |= inner.reads | (inner.later - inner.binds)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.all(*node.decorator_list, *node.bases, *node.keywords)
        inner = Names(self.binds)
        inner.all(*node.body)
        self.reads |= inner.reads
        self.later |= inner.later  # a method does not see the names of its class
        self.binds.add(node.name)

    def _comprehension(self, node: Comprehension) -> None:
        inner = Names(self.binds)
        for part in node.generators:
            inner.all(part.iter, part.target, *part.ifs)
        kept = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        inner.all(*kept)
        walrus = [n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr)]
        self.reads |= inner.reads
        self.later |= inner.later - (inner.binds - self.binds)
        self.binds |= {*walrus}

    visit_ListComp = visit_SetComp = visit_DictComp = _comprehension
    visit_GeneratorExp = _comprehension


def names(code: str | ast.AST, known: Iterable[str] = ()) -> Names:
    """The names of a cell, or of one statement of it, without reads of known ones."""
    found = Names(known)
    found.visit(ast.parse(code) if isinstance(code, str) else code)
    return found
