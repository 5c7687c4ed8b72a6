"""What a real API server with the CRDs of Argo CD and Flux says of the objects of a fleet: also their rules between two fields."""

from pathlib import Path

import pytest
import yaml
from test_fleet_delivery import CRDS, ENGINES, objects

from api_server import ApiError, ApiServer
from conftest import needs


@pytest.fixture(scope="module")
def api():
    needs("KUBEBUILDER_ASSETS", "the folder with etcd and kube-apiserver")
    folder = Path(needs("CRDS", "the CRDs of Argo CD and Flux (tools/reference.py)"))
    files = [folder / f"{name}.yaml" for name in CRDS]
    for path in files:
        if not path.is_file():
            pytest.skip(f"{path} is missing")
    with ApiServer() as server:
        server.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in ("argocd", "flux-system")])
        server.apply([crd for path in files for crd in yaml.safe_load_all(path.read_text())])
        yield server


@pytest.mark.parametrize("engines", ENGINES, ids=range(len(ENGINES)))
def test_the_objects_of_the_engines_are_accepted_without_a_warning(api, engines):
    for manifests in objects(engines).values():
        for each in manifests:
            assert api.dry_run(each) == []


def test_a_field_that_no_engine_has_is_refused(api):
    ((application_set,),) = objects(ENGINES[0]).values()
    application_set["spec"]["template"]["spec"]["sources_"] = []

    with pytest.raises(ApiError, match="sources_"):
        api.dry_run(application_set)
