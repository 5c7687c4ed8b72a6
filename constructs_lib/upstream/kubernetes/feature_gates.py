"""The feature gates that the API server, the controller manager, the scheduler and the kubelet know. A program refuses to start
with any other name."""

from __future__ import annotations

OLDEST, NEWEST = 34, 37
"""The minors of Kubernetes 1.x of the table.

Source: kubernetes/kubernetes pkg/features/kube_features.go at v1.34.2 and v1.37.2 (2026-11-28)
"""

_GATES = {
    (34, 34): (
        "AllowServiceLBStatusOnNonLB ComponentSLIs CronJobsScheduledAnnotation LoadBalancerIPMode PodIndexLabel "
        "ProbeHostPodSecurityStandards SizeMemoryBackedVolumes StatefulSetAutoDeletePVC StrictCostEnforcementForVAP "
        "StrictCostEnforcementForWebhooks UserNamespacesPodSecurityStandards"
    ),
    (34, 35): (
        "CSIMigrationPortworx HonorPVReclaimPolicy InPlacePodVerticalScalingAllocatedStatus InTreePluginPortworxUnregister "
        "MemoryManager ServiceTrafficDistribution StructuredAuthorizationConfiguration TopologyAwareHints "
        "WatchFromStorageWithoutResourceVersion"
    ),
    (34, 36): (
        "APIServerTracing AnonymousAuthConfigurableEndpoints AnyVolumeDataSource AuthorizeNodeWithSelectors "
        "AuthorizeWithSelectors BtreeWatchCache ConsistentListFromCache JobBackoffLimitPerIndex JobPodReplacementPolicy "
        "JobSuccessPolicy LogarithmicScaleDown OrderedNamespaceDeletion PodLifecycleSleepAction PodLifecycleSleepActionAllowZero "
        "PreventStaticPodAPIReferences RelaxedDNSSearchValidation ResilientWatchCacheInitialization RetryGenerateName "
        "SchedulerQueueingHints SidecarContainers StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf "
        "StructuredAuthenticationConfiguration"
    ),
    (34, 37): (
        "APIResponseCompression APIServerIdentity APIServingWithRoutine AggregatedDiscoveryRemoveBetaType AllowDNSOnlyNodeCSR "
        "AllowInsecureKubeletCertificateSigningRequests AllowOverwriteTerminationGracePeriodSeconds "
        "AllowParsingUserUIDFromCertAuth AllowUnsafeMalformedObjectDeletion CBORServingAndStorage CPUManagerPolicyAlphaOptions "
        "CPUManagerPolicyBetaOptions CPUManagerPolicyOptions CRDValidationRatcheting CSIVolumeHealth "
        "ClearingNominatedNodeNameAfterBinding ClientsAllowCBOR ClientsPreferCBOR CloudControllerManagerWebhook "
        "ClusterTrustBundle ClusterTrustBundleProjection ComponentFlagz ComponentStatusz ConcurrentWatchObjectDecode "
        "ContainerCheckpoint ContainerRestartRules ContainerStopSignals ContextualLogging CoordinatedLeaderElection "
        "CrossNamespaceVolumeDataSource CustomCPUCFSQuotaPeriod CustomResourceFieldSelectors DRAAdminAccess DRAConsumableCapacity "
        "DRADeviceBindingConditions DRADeviceTaints DRAExtendedResource DRAPartitionableDevices DRAPrioritizedList "
        "DRAResourceClaimDeviceStatus DRASchedulerFilterTimeout DeclarativeValidation DeclarativeValidationTakeover "
        "DeploymentReplicaSetTerminatingReplicas DetectCacheInconsistency DisableAllocatorDualWrite "
        "DisableCPUQuotaWithExclusiveCPUs DisableNodeKubeProxyVersion DynamicResourceAllocation EnvFiles EventedPLEG "
        "ExecProbeTimeout ExternalServiceAccountTokenSigner GitRepoVolumeDriver GracefulNodeShutdown "
        "GracefulNodeShutdownBasedOnPodPriority HPAConfigurableTolerance HPAScaleToZero HostnameOverride ImageMaximumGCAge "
        "ImageVolume InOrderInformers InPlacePodVerticalScaling InPlacePodVerticalScalingExclusiveCPUs "
        "InPlacePodVerticalScalingExclusiveMemory InformerResourceVersion JobManagedBy KMSv1 KubeletCgroupDriverFromCRI "
        "KubeletCrashLoopBackOffMax KubeletEnsureSecretPulledImages KubeletFineGrainedAuthz KubeletInUserNamespace KubeletPSI "
        "KubeletPodResourcesDynamicResources KubeletPodResourcesGet KubeletPodResourcesListUseActivePods "
        "KubeletRegistrationGetOnExistsOnly KubeletSeparateDiskGC KubeletServiceAccountTokenForCredentialProviders KubeletTracing "
        "ListFromCacheSnapshot LocalStorageCapacityIsolationFSQuotaMonitoring LoggingAlphaOptions LoggingBetaOptions "
        "LoggingStableOptions MatchLabelKeysInPodAffinity MatchLabelKeysInPodTopologySpread "
        "MatchLabelKeysInPodTopologySpreadSelectorMerge MaxUnavailableStatefulSet MemoryQoS MultiCIDRServiceAllocator "
        "MutableCSINodeAllocatableCount MutatingAdmissionPolicy NFTablesProxyMode NodeInclusionPolicyInPodTopologySpread "
        "NodeLogQuery NodeSwap NominatedNodeNameForExpectation OpenAPIEnums PodAndContainerStatsFromCRI PodCertificateRequest "
        "PodDeletionCost PodLevelResources PodLogsQuerySplitStreams PodObservedGenerationTracking "
        "PodReadyToStartContainersCondition PodSchedulingReadiness PodTopologyLabelsAdmission PortForwardWebsockets "
        "PreferSameTrafficDistribution ProcMountType QOSReserved RecoverVolumeExpansionFailure RecursiveReadOnlyMounts "
        "ReduceDefaultCrashLoopBackOffDecay RelaxedEnvironmentVariableValidation RelaxedServiceNameValidation "
        "ReloadKubeletServerCertificateFile RemoteRequestHeaderUID ResourceHealthStatus RotateKubeletServerCertificate "
        "RuntimeClassInImageCriApi SELinuxChangePolicy SELinuxMount SELinuxMountReadWriteOncePod SchedulerAsyncAPICalls "
        "SchedulerAsyncPreemption SchedulerPopFromBackoffQ SeparateCacheWatchRPC SeparateTaintEvictionController "
        "ServiceAccountNodeAudienceRestriction ServiceAccountTokenJTI ServiceAccountTokenNodeBinding "
        "ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo SizeBasedListCostEstimate "
        "StatefulSetSemanticRevisionComparison StorageCapacityScoring StorageNamespaceIndex StorageVersionAPI StorageVersionHash "
        "StorageVersionMigrator StrictIPCIDRValidation StructuredAuthenticationConfigurationEgressSelector "
        "SupplementalGroupsPolicy SystemdWatchdog TokenRequestServiceAccountUIDValidation TopologyManagerPolicyAlphaOptions "
        "TopologyManagerPolicyBetaOptions TopologyManagerPolicyOptions TranslateStreamCloseWebsocketRequests "
        "UnauthenticatedHTTP2DOSMitigation UnknownVersionInteroperabilityProxy UserNamespacesSupport VolumeAttributesClass "
        "WatchCacheInitializationPostStartHook WatchList WatchListClient WinDSR WinOverlay WindowsCPUAndMemoryAffinity "
        "WindowsGracefulNodeShutdown WindowsHostNetwork"
    ),
    (35, 36): ("GangScheduling"),
    (35, 37): (
        "AuthorizePodWebsocketUpgradeCreatePermission CRDObservedGenerationTracking CSIServiceAccountTokenSecrets "
        "ChangeContainerStatusOnKubeletRestart CloudControllerManagerWatchBasedRoutesReconciliation ConstrainedImpersonation "
        "DRADeviceTaintRules GenericWorkload InOrderInformersBatchProcess InPlacePodLevelResourcesVerticalScaling "
        "MutablePVNodeAffinity MutablePodResourcesForSuspendedJobs MutableSchedulingDirectivesForSuspendedJobs "
        "NodeDeclaredFeatures OpportunisticBatching RestartAllContainersOnContainerExits "
        "StructuredAuthenticationConfigurationJWKSMetrics TaintTolerationComparisonOperators UserNamespacesHostNetworkSupport "
        "VolumeLimitScaling"
    ),
    (36, 36): ("WorkloadAwarePreemption"),
    (36, 37): (
        "AllowServiceExternalIPs AtomicFIFO CRIListStreaming ClientsAllowCARotation ClientsAllowTLSCacheGC "
        "ControllerManagerReleaseLeaderElectionLockOnExit DRAListTypeAttributes DRANodeAllocatableResources "
        "DRAResourceClaimGranularStatusAuthorization DRAResourcePoolStatus DRAWorkloadResourceClaims DeclarativeValidationBeta "
        "ExtendWebSocketsToKubelet ImageVolumeWithDigest InPlacePodVerticalScalingInitContainers "
        "ManifestBasedAdmissionControlConfig NativeHistograms PLEGOnDemandRelist PersistentVolumeClaimUnusedSinceTime "
        "PodLevelResourceManagers PodsAPI ReloadKubeletClientCAFile ResourceHealthStatusMessage ServiceCIDRStatusFieldWiping "
        "ShardedListAndWatch StaleControllerConsistencyDaemonSet StaleControllerConsistencyJob "
        "StaleControllerConsistencyReplicaSet StaleControllerConsistencyStatefulSet TopologyAwareWorkloadScheduling "
        "UnlockWhileProcessingFIFO WorkloadWithJob"
    ),
    (37, 37): (
        "APIServerWebhookAuthenticationToken AtomicWriteVolumeUserFields CompositePodGroup "
        "ConsistentListFromCacheSkipTimeoutFallback DRADerivedAttributes DRADeviceCompatibilityGroups DRAFractionalCapacityRange "
        "DRAOptionalNodeOperations DRAPartitionableDevicesType DefaultPodSysctls EmptyDirVolumeMode EtcdRangeStream "
        "EvictionRequestAPI ExcludeAdmissionWebhookVirtualResources GRPCContainerProbeTLS H2CContainerProbe HPAGeneration "
        "HPAOptimizedSelectorStore HugepageAwareEviction InPlacePodVerticalScalingMemoryBackedVolumes "
        "InPlacePodVerticalScalingSchedulerPreemption InterPodAffinityHostnameFastPath KubeProxyIPVS "
        "KubeProxyNFTablesLocalhostNodePorts KubeletAllocatedPodsEndpoint NFTablesNetlink NodeControllerLeaseCircuitBreaker "
        "NodeLifecycleConditions PodGroupPreemptionPolicy PodLevelResourcesFixDefaulting PodLevelResourcesFixKubeletQOSClass "
        "SchedulerPreQueueingHints StaleControllerConsistencyHPA StatefulSetRecreateStrategy VolumeBindMountOptions "
        "WatchListCompression WebhookRoundTripLoadBalancing"
    ),
}
"""The gates by the first and the last minor of the table that have them, also those that are locked.

Source: kubernetes/kubernetes pkg/features/kube_features.go at v1.34.2, v1.35.3, v1.36.3 and v1.37.2, and the features of
k8s.io/apiserver, apiextensions-apiserver, component-base, client-go and controller-manager of the same releases
(2026-11-28)
"""

GATE_MINORS = {gate: minors for minors, gates in _GATES.items() for gate in gates.split()}
"""The first and the last minor of the table with each gate.

Source: that of the names above (2026-11-28)
"""


def has_gate(minor: int, gate: str) -> bool | None:
    """Whether Kubernetes 1.`minor` has a feature gate; None for a Kubernetes that is not in the table."""
    first, last = GATE_MINORS.get(gate, (NEWEST + 1, NEWEST))
    return first <= minor <= last if OLDEST <= minor <= NEWEST else None
