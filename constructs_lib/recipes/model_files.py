"""The files of a model of Hugging Face on a volume: a Job downloads the files, and the server waits for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from ..arguments.fields import named, to_bytes
from ..manifests.objects import Manifests, env
from ..manifests.pod_shape import root_context, security_context
from ..manifests.volumes.sources import Empty, OciImage
from ..manifests.volumes.volume import Persistent
from ..manifests.workload.container_values import SecretKey
from ..manifests.workload.pod import volume_names
from ..upstream.programs import model_servers
from ..upstream.programs.model_servers import COMPILE_CACHES
from ..upstream.talos.generations import Generation
from .client_job import client_job
from .hub_names import check_hub_token, to_repository, to_revision, to_secret_key
from .model_volume import MODELS, check_model_volume
from .recipe_settings import RecipeSettings

_MARKER = ".complete"
BEFORE = f"""\
if [ -e "$FOLDER/{_MARKER}" ]; then echo "$MODEL is on the volume"; exit 0; fi
echo "downloading $MODEL, revision $REVISION, to $FOLDER"
mkdir -p "$FOLDER"
"""
AFTER = f"""
touch "$FOLDER/{_MARKER}"
echo "$MODEL is on the volume"
"""
FROM_THE_HUB = 'hf download "$MODEL" --revision "$REVISION" --local-dir "$FOLDER" --exclude "$EXCEPT"'
DOWNLOAD_SECONDS = 3600
"""The seconds that a download may take before the Deployment is called failed: 45 GB at 100 Mbit/s. The pod waits
longer, and the state heals itself."""

WAIT = f"""\
until [ -e "$FOLDER/{_MARKER}" ]; do
  echo "waiting for the Job $JOB-*, which downloads $MODEL: kubectl logs --selector app.kubernetes.io/name=$JOB"
  sleep 5
done
"""


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class ModelFilesSettings(RecipeSettings):
    """The base class of the servers whose model is a repository of Hugging Face.

    Args:
        model: The model: a repository of Hugging Face such as "Qwen/Qwen3-8B".
        revision: The branch, tag or commit of the repository. A commit makes every download the same. Default: "main",
            as of the day of the download.
        token: A `SecretKey` with a token of Hugging Face, for a gated or private repository. Only the Job that
            downloads has it. Default: none.
        api_key: A `SecretKey` with the key that clients must give. Default: none.
        storage: The size of the claim for the model and the caches. `volumes={"/models": …}` takes another volume in
            its place; with an `OciImage`, which has the model's files in its root or its `sub_path`, nothing is
            downloaded. Default: "100Gi", more for a larger model of `fits`.

    Raises:
        TypeError, ValueError: `'model' must be a repository of Hugging Face …`; `'volumes[/models]' must be …` for a
            volume that the Job can't fill.
    """

    needs: ClassVar[Mapping[str, str]] = {"model": "such as model='Qwen/Qwen3-8B'"}
    download: ClassVar[str] = FROM_THE_HUB
    """The shell commands that download the files of $MODEL at $REVISION to $FOLDER."""

    model: str = attrs.field(converter=to_repository)
    revision: str = attrs.field(default="main", converter=to_revision)
    token: SecretKey | None = attrs.field(default=None, converter=to_secret_key)
    api_key: SecretKey | None = attrs.field(default=None, converter=to_secret_key)
    storage: str = attrs.field(default="100Gi", converter=to_bytes)

    def __attrs_post_init__(self) -> None:
        if not self.is_image:
            check_hub_token(self.env)
        super().__attrs_post_init__()

    @property
    def unauthenticated(self) -> str:  # type: ignore[override]  # the base class has no server that asks for a key in one case only
        """A sentence that the server has no authentication, or an empty string."""
        return "" if self.api_key else "the server has no authentication without 'api_key'"

    @property
    def folder(self) -> str:
        """The folder of the model's files, one for each revision, so that no server reads half of a download."""
        if self.is_image:
            return MODELS
        return f"{MODELS}/{self.model}/{self.revision.replace('/', '-')}"

    @property
    def caches(self) -> str:
        """The folder of the caches, such as compiled kernels. Beside the model they outlive the pod."""
        return "/cache" if self.is_image else f"{MODELS}/.cache"

    @property
    def is_image(self) -> bool:
        """Whether the model is the volume of an image, which needs no download."""
        return isinstance(self.volumes.get(MODELS), OciImage)

    @property
    def preparation(self) -> int:
        """The seconds of the download."""
        return 0 if self.is_image else DOWNLOAD_SECONDS

    @property
    def compile_caches(self) -> dict[str, str]:
        """The variables of the folders for compiled kernels."""
        return {name: f"{self.caches}/{folder}" for name, folder in COMPILE_CACHES.items()}

    @property
    def download_image(self) -> str:
        """The image of the Job."""
        return self.image

    @property
    def download_variables(self) -> Mapping[str, str]:
        """Further variables of the Job."""
        return {"EXCEPT": model_servers.HF_ORIGINALS}

    def _facts(self) -> Mapping[str, Any]:
        """The volume of the model, and the container that waits for its files."""
        if self.is_image:
            return {"volumes": {self.caches: Empty()}}
        self._complete({"volumes": {MODELS: Persistent(self.storage)}})
        check_model_volume(self.volumes[MODELS], self)
        wait = {
            "name": "wait-for-model",
            "image": self.image,
            "command": ["/bin/sh", "-ec", WAIT],
            "env": env({"FOLDER": self.folder, "MODEL": self.model, "JOB": f"{self.name}-model"}),
            "volumeMounts": [self._mount],
            "securityContext": security_context(root_context(self.root_image) if self.root_image else {"capabilities": {"drop": ["ALL"]}}),
            "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}},
        }
        return {"init_containers": [wait]}

    def beside(self) -> Manifests:
        """The Job that downloads the files, on the node of the server. It has the token, and no GPU."""
        if self.is_image:
            return {}
        variables = {
            "HOME": "/tmp",  # noqa: S108
            model_servers.HF_HOME: "/tmp/huggingface",  # noqa: S108
            "FOLDER": self.folder,
            "MODEL": self.model,
            "REVISION": self.revision,
            **self.download_variables,
        }
        if self.nodes.generation is Generation.LEGACY:
            variables["NVIDIA_VISIBLE_DEVICES"] = "void"  # where the NVIDIA runtime is the default of containerd
        token = [] if self.token is None else [{"name": model_servers.HF_TOKEN, "valueFrom": self.token.reference}]
        container = {
            "image": self.download_image,
            "command": ["/bin/sh", "-ec", BEFORE + self.download + AFTER],
            "env": [*env(variables), *token],
            "volumeMounts": [self._mount, {"name": "tmp", "mountPath": "/tmp"}],  # noqa: S108
            "resources": {"requests": {"cpu": "100m", "memory": "1Gi"}},
        }
        volume = {"name": self._mount["name"], **self.volumes[MODELS].source(f"{self.name}-{self._mount['name']}")}
        return {"Model": client_job(self, "model", container, [volume, {"name": "tmp", "emptyDir": {}}], beside_server=True)}

    @property
    def _mount(self) -> dict[str, Any]:
        return {"name": volume_names(self)[MODELS], "mountPath": MODELS, **self.volumes[MODELS].mount}
