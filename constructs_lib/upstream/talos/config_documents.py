"""The documents of Talos' machine configuration that replace fields of its first document, the one without a kind, and
the metadata of Omni's resources."""

from __future__ import annotations

INSTALL_KIND = "UnattendedInstallConfig"
"""The document that Talos 1.14 and newer generate in place of `machine.install`: the installer image, and the disk.

Source: siderolabs/talos pkg/machinery/config/types/runtime/unattended_install.go at v1.14.0-rc.1 (2026-11-22)
"""

_KUBELET = ("machine", "kubelet")

CONFLICTING_FIELDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "KubeNodeConfig": (
        ("machine", "nodeLabels"),
        ("machine", "nodeTaints"),
        ("machine", "nodeAnnotations"),
        ("cluster", "allowSchedulingOnControlPlanes"),
        (*_KUBELET, "nodeIP"),
        (*_KUBELET, "registerWithFQDN"),
        (*_KUBELET, "skipNodeRegistration"),
    ),
    "KubeletConfig": (_KUBELET,),
    "KubeAPIServerConfig": (("cluster", "apiServer"),),
    "KubeAdmissionControlConfig": (("cluster", "apiServer", "admissionControl"),),
    "CRIBaseRuntimeSpecConfig": (("machine", "baseRuntimeSpecOverrides"),),
    INSTALL_KIND: (("machine", "install"),),
}
"""The fields that conflict with each kind of document: Talos refuses both together. KernelModuleConfig, SysctlConfig
and CRICustomizationConfig have no conflict: they are merged with the fields.

Source: siderolabs/talos pkg/machinery/config/types, V1Alpha1ConflictValidate at v1.14.0-rc.1 (2026-11-20)
"""

CONTROL_PLANE_PROGRAMS = {
    "apiServer": "KubeAPIServerConfig",
    "controllerManager": "KubeControllerManagerConfig",
    "scheduler": "KubeSchedulerConfig",
}
"""The programs of a control-plane node: the field of `cluster`, and the document that replaces it.

Source: siderolabs/talos pkg/machinery/config/types/v1alpha1, pkg/machinery/config/types/k8s at v1.14.0-rc.1; the JSON
schemas of Talos 1.12 to 1.14 (2026-11-28)
"""

RESERVED_NAMES = {"CRICustomizationConfig": "customization"}
"""The name that a document of a kind may not have.

Source: siderolabs/talos pkg/machinery/config/types/cri/customization.go at v1.14.0-rc.1 (2026-08-22)
"""

CONFIG_DOCUMENTS_SINCE: dict[int, str] = {
    12: "BondConfig BridgeConfig DHCPv4Config DHCPv6Config DummyLinkConfig HCloudVIPConfig HostnameConfig Layer2VIPConfig LinkAliasConfig LinkConfig "
    "OOMConfig RegistryAuthConfig RegistryMirrorConfig RegistryTLSConfig ResolverConfig StaticHostConfig TimeSyncConfig VLANConfig WireguardConfig",
    13: "BlackholeRouteConfig EnvironmentConfig ExternalVolumeConfig ImageVerificationConfig KubeSpanConfig RoutingRuleConfig TCPProbeConfig VRFConfig",
    14: "BGPInstanceConfig CRIBaseRuntimeSpecConfig CRICustomizationConfig ContainerConfig DiscoveryIdentityConfig DiscoveryServiceConfig EtcFileConfig "
    "FilesystemScrubConfig FilesystemTrimConfig HTTPProbeConfig ImageCacheConfig KernelModuleConfig KubeAPIServerCAConfig KubeAPIServerConfig "
    "KubeAdmissionControlConfig KubeAggregatorCAConfig KubeAuditPolicyConfig KubeAuthenticationConfig KubeAuthorizerConfig KubeClusterConfig "
    "KubeControllerManagerConfig KubeCoreDNSConfig KubeCredentialProviderConfig KubeEtcdEncryptionConfig KubeExternalManifestConfig "
    "KubeFlannelCNIConfig KubeInlineManifestConfig KubeNetworkConfig KubeNodeConfig KubePrismConfig KubeProxyConfig KubeSchedulerConfig "
    "KubeServiceAccountConfig KubeStaticPodConfig KubeTalosAPIAccessConfig KubeletConfig LVMLogicalVolumeConfig LVMVolumeGroupConfig RAIDArrayConfig "
    "SecurityProfileConfig SysctlConfig SysfsConfig UdevRulesConfig UnattendedInstallConfig VethConfig",
}
"""The kinds of documents, by the minor of Talos that added them. Kinds from before 1.12 are left out.

Source: siderolabs/talos pkg/machinery/config/types, what registers itself at v1.11.6, v1.12.11, v1.13.9 and
v1.14.0-rc.1 (2026-08-22)
"""


# The domain in the types of Omni's resources, as in `ConfigPatches.omni.sidero.dev`, and in their labels.
OMNI_DOMAIN = "omni.sidero.dev"
OMNI_NAMESPACE = "default"  # The namespace from which Omni takes config patches and lists of extensions
# The labels of which a resource needs one: a cluster, which further labels narrow down, or a machine in any cluster.
OMNI_TARGETS = (f"{OMNI_DOMAIN}/cluster", f"{OMNI_DOMAIN}/machine")
# The words with which `omnictl apply` refuses a resource without a type, or with a type that Omni does not know.
UNREGISTERED_TYPE = "no resource is registered for the resource type"
"""The metadata of Omni's resources, by which Omni knows them and finds their machines.

Source: siderolabs/omni client/pkg/omni/resources/omni/{labels,config_patch}.go, client/pkg/omnictl/apply.go,
internal/backend/runtime/omni/controllers/omni/internal/layeredresource/layeredresource.go; cosi-project/runtime
pkg/resource/protobuf/registry.go (2026-08-21)
"""
