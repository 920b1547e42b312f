"""A model on one screen: its parts as a tree, with their sizes."""

from torch import nn


class Tree(nn.Module):
    """A module that prints as a tree and counts its parameters."""

    def parameter_count(self) -> int:
        """Count the numbers that can be learned; a shared one counts once."""
        return sum(p.numel() for p in self.parameters())

    def __repr__(self) -> str:
        return "\n".join([_label(self), *_branches(self)])


def _branches(module: nn.Module) -> list[str]:
    """Draw the children, each with its own branches; like blocks are drawn once."""
    children = list(module.named_children())
    lines = []
    for i, (name, child) in enumerate(children):
        end = i == len(children) - 1
        inner = child
        label = f"{name}: {_label(child)}"
        if isinstance(child, nn.ModuleList) and len(child):
            inner = child[0]
            label = f"{name}: {len(child)} × {_label(inner)}"
        lines.append(("└─ " if end else "├─ ") + label)
        lines += [("   " if end else "│  ") + line for line in _branches(inner)]
    return lines


def _label(module: nn.Module) -> str:
    """Name a module, its own words for its sizes, and its number of parameters."""
    said = module.extra_repr()
    count = sum(p.numel() for p in module.parameters())
    return f"{type(module).__name__}{f'({said})' if said else ''} · {count:,}"
