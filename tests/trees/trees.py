"""Trees of a seed: a working cluster in a layout, with what stands beside it, in the styles in which people write YAML."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from constructs_lib.checks.rule import Rule

from .beside import beside
from .breaks import BREAKS
from .faults import faulty, node_layouts_of
from .layouts import LAYOUTS
from .model import Cluster
from .node_layouts import NODE_LAYOUTS
from .noise import add_noise, other_apps
from .tree import Tree
from .twists import twist
from .variants import vary
from .working import Draw

BY_HAND = ("bare-manifests", "kustomize-overlays")
"""The layouts in which no tool deploys: whatever the folder holds may be applied."""


@dataclass
class Described:
    """What a tree is made of."""

    seed: int
    layout: str
    nodes: str
    route: str
    cluster: Cluster
    added: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        words = (f"seed {self.seed}", self.layout, self.nodes, self.route, self.cluster.talos, f"Pod Security {self.cluster.pod_security}")
        return ", ".join((*words, *self.added))


def working_tree(seed: int, root: Path) -> Described:
    """Write the tree of a seed into a folder."""
    random = Random(seed)
    layouts, nodes = list(LAYOUTS), list(NODE_LAYOUTS)
    layout, node_layout = layouts[seed % len(layouts)], random.choice(nodes)
    draw = Draw(random, random.choice(("home", "main", "prod")), has_nodes=node_layout != "nothing")
    cluster = draw.drawn()
    cluster.apps += other_apps(random) + beside(random, cluster.minor)
    varied = vary(random, cluster, sets_files=node_layout not in ("nothing", "documents"))
    random.shuffle(cluster.apps)
    tree = Tree(random)
    made = Described(seed, layout, node_layout, draw.route, cluster)
    LAYOUTS[layout](cluster, tree, "")
    NODE_LAYOUTS[node_layout](cluster, tree, "")
    made.added = varied + add_noise(tree, is_deployed=layout not in BY_HAND)
    made.added += twist(tree, is_deployed=layout not in BY_HAND)
    (root / ".git").mkdir(exist_ok=True)
    tree.write(root)
    return made


def faulty_tree(rule: Rule, layout: str, seed: int, root: Path) -> Described:
    """Write a tree with the fault of a rule into a folder."""
    random = Random(f"{rule.id} {layout} {seed}")
    cluster, route = faulty(rule, random)
    node_layout = random.choice(node_layouts_of(rule))
    cluster.apps += other_apps(random)
    tree = Tree(random)
    LAYOUTS[layout](cluster, tree, "")
    NODE_LAYOUTS[node_layout](cluster, tree, "")
    for path, documents in cluster.files.items():
        tree.files[path] = documents
    BREAKS.get(rule.id, lambda _: None)(tree)
    (root / ".git").mkdir(exist_ok=True)
    tree.write(root)
    return Described(seed, layout, node_layout, route, cluster)
