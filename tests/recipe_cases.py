"""The recipes of the face, and what each asks for beside its nodes."""

import attrs

from constructs_lib.clusters.part_table import part_of
from constructs_lib.constructs.recipes import Recipe
from constructs_lib.manifests.workload.settings import GpuWorkloadSettings
from public_face import every_public

RECIPES = {name: public for name, public in every_public().items() if isinstance(public, type) and issubclass(public, Recipe)}
_REQUIRED = {"model": "example/model", "file": "model-Q4_K_M.gguf"}
OWN_FIELDS = {
    name: {field.name: field for field in attrs.fields(part_of(name).settings) if field.name not in attrs.fields_dict(GpuWorkloadSettings)}
    for name in RECIPES
}
"""The fields of each recipe that a `GpuWorkload` doesn't have."""
ARGUMENTS: dict[str, dict[str, object]] = {
    name: {each: _REQUIRED[each] for each, field in fields.items() if field.default is attrs.NOTHING} for name, fields in OWN_FIELDS.items()
}
"""What each recipe asks for beside its nodes."""
