"""What a real API server with the CRDs of Argo CD and Flux says of the objects of a fleet: also their rules between two fields."""

from pathlib import Path

import pytest
import yaml
from test_fleet_delivery import ENGINES, OCI, SIZE, objects

from api_server import ApiError, ApiServer
from conftest import needs


@pytest.fixture(scope="module")
def api():
    needs("KUBEBUILDER_ASSETS", "the folder with etcd and kube-apiserver")
    argocd = needs("ARGOCD_ASSETS", "the folder with Argo CD's ApplicationSet controller (tools/argocd.sh)")
    flux = needs("FLUX_ASSETS", "the folder with the CRDs of Flux (tools/flux.sh)")
    crds = [crd for folder in (argocd, flux) for path in Path(folder).glob("*.yaml") for crd in yaml.safe_load_all(path.read_text()) if crd]
    with ApiServer() as server:
        server.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in ("argocd", "flux-system")])
        server.apply(crds)
        yield server


@pytest.mark.parametrize("engines", ENGINES, ids=range(len(ENGINES)))
def test_the_objects_of_the_engines_are_accepted_without_a_warning(api, engines):
    for manifests in objects(engines).values():
        for each in manifests:
            assert api.dry_run(each) == []


def test_the_objects_of_a_thousand_clusters_are_accepted_without_a_warning(api):
    clusters = [f"c{number}" for number in range(SIZE)]
    manifests = [each for found in objects({"flux": {"repository": OCI}}, clusters).values() for each in found]

    assert len(manifests) == 2 * SIZE
    assert [warning for each in manifests for warning in api.dry_run(each)] == []


@pytest.mark.parametrize("engines", ENGINES, ids=range(len(ENGINES)))
def test_a_field_that_no_engine_has_is_refused(api, engines):
    for manifests in objects(engines).values():
        for each in manifests:
            each["spec"]["unheard"] = []
            with pytest.raises(ApiError, match=r"spec\.unheard"):
                api.dry_run(each)


def test_a_kind_of_source_that_flux_does_not_have_is_refused(api):
    _, kustomization = next(iter(objects({"flux": {"repository": OCI}}).values()))
    kustomization["spec"]["sourceRef"]["kind"] = "Registry"

    with pytest.raises(ApiError, match=r"spec\.sourceRef\.kind: Unsupported value"):
        api.dry_run(kustomization)
