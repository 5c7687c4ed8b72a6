"""What a real API server with the CRDs of Argo CD and Flux says of the objects of a fleet: also their rules between two fields."""

from pathlib import Path

import pytest
import yaml
from test_fleet_delivery import CRDS, JUDGED, OCI, objects

from api_server import ApiError, ApiServer
from conftest import needs


@pytest.fixture(scope="module")
def api():
    needs("KUBEBUILDER_ASSETS", "the folder with etcd and kube-apiserver")
    folder = Path(needs("CRDS", "the CRDs of Argo CD and Flux (tools/reference.py)"))
    files = [path for name in CRDS if (path := folder / f"{name}.yaml").is_file()]
    with ApiServer() as server:
        server.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in ("argocd", "flux-system")])
        server.apply([crd for path in files for crd in yaml.safe_load_all(path.read_text())])
        yield server


@pytest.mark.parametrize("engines", JUDGED, ids=range(len(JUDGED)))
def test_the_objects_of_the_engines_are_accepted_without_a_warning(api, engines):
    for manifests in objects(engines).values():
        for each in manifests:
            assert api.dry_run(each) == []


def test_a_field_that_no_engine_has_is_refused(api):
    source, kustomization = next(iter(objects({"flux": {"repository": OCI}}).values()))
    kustomization["spec"]["paths"] = []

    assert api.dry_run(source) == []
    with pytest.raises(ApiError, match="paths"):
        api.dry_run(kustomization)
