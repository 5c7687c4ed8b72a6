"""The models that a server itself downloads when a Job asks for them."""

from __future__ import annotations

from typing import ClassVar

import attrs

from ..arguments.fields import named
from .model_volume import check_pull
from .recipe_settings import RecipeSettings


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class PulledModelsSettings(RecipeSettings):
    """The base class of the servers that download the models of a list when a Job asks for them.

    Raises:
        TypeError, ValueError: `'volumes[…]' must be writable …` and `'replicas' must be 1 …` for `models` that the
            volume can't hold for every pod.
    """

    models_path: ClassVar[str]
    """The mount path of the models' volume."""

    models: tuple[str, ...] = ()

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if self.models:
            check_pull(self, self.models_path, self.models)

    @property
    def clients(self) -> tuple[str, ...]:  # type: ignore[override]  # without models there is no Job
        """The name of the Job's pods."""
        return (f"{self.name}-models",) if self.models else ()

    @property
    def downloads(self) -> str:  # type: ignore[override]  # as above
        """The argument whose value the server downloads."""
        return "models" if self.models else ""
