from __future__ import annotations

from pkgutil import extend_path
__path__ = extend_path(__path__, __name__)

import abc
import builtins
import datetime
import enum
import typing

import jsii
import publication
import typing_extensions

from jsii._type_checking import cached_type_hints, check_type


from ._jsii import *

class _LazyImport:
    def __init__(self, module_name: str) -> None:
        self._module_name = module_name
        self._module: typing.Any = None
    def __getattr__(self, name: str) -> typing.Any:
        if self._module is None:
            import importlib
            self._module = importlib.import_module(self._module_name)
        return getattr(self._module, name)

if typing.TYPE_CHECKING:

    import cdk8s as _cdk8s_d3d9af27
    import constructs as _constructs_77d1e7e8
else:

    _cdk8s_d3d9af27 = _LazyImport("cdk8s")
    _constructs_77d1e7e8 = _LazyImport("constructs")


class HelmRepository(
    _cdk8s_d3d9af27.ApiObject,
    metaclass=jsii.JSIIMeta,
    jsii_type="helmrepository_iofluxcdtoolkitsource.HelmRepository",
):
    '''HelmRepository is the Schema for the helmrepositories API.

    :schema: HelmRepository
    '''

    def __init__(
        self,
        scope: "_constructs_77d1e7e8.Construct",
        id: builtins.str,
        *,
        metadata: typing.Optional[typing.Union["_cdk8s_d3d9af27.ApiObjectMetadata", typing.Dict[builtins.str, typing.Any]]] = None,
        spec: typing.Optional[typing.Union["HelmRepositorySpec", typing.Dict[builtins.str, typing.Any]]] = None,
    ) -> None:
        '''Defines a "HelmRepository" API object.

        :param scope: the scope in which to define this object.
        :param id: a scope-local name for the object.
        :param metadata: 
        :param spec: HelmRepositorySpec specifies the required configuration to produce an Artifact for a Helm repository index YAML.
        '''
        if __debug__:
            type_hints = cached_type_hints(_typecheckingstub__cc4422e805b5c02366c332ef89e48d76c148f23689946a8aaddf6f96f62ee8f4)
            check_type(argname="argument scope", value=scope, expected_type=type_hints["scope"])
            check_type(argname="argument id", value=id, expected_type=type_hints["id"])
        props = HelmRepositoryProps(metadata=metadata, spec=spec)

        jsii.create(self.__class__, self, [scope, id, props])

    @jsii.member(jsii_name="manifest")
    @builtins.classmethod
    def manifest(
        cls,
        *,
        metadata: typing.Optional[typing.Union["_cdk8s_d3d9af27.ApiObjectMetadata", typing.Dict[builtins.str, typing.Any]]] = None,
        spec: typing.Optional[typing.Union["HelmRepositorySpec", typing.Dict[builtins.str, typing.Any]]] = None,
    ) -> typing.Any:
        '''Renders a Kubernetes manifest for "HelmRepository".

        This can be used to inline resource manifests inside other objects (e.g. as templates).

        :param metadata: 
        :param spec: HelmRepositorySpec specifies the required configuration to produce an Artifact for a Helm repository index YAML.
        '''
        props = HelmRepositoryProps(metadata=metadata, spec=spec)

        return typing.cast(typing.Any, jsii.sinvoke(cls, "manifest", [props]))

    @jsii.member(jsii_name="toJson")
    def to_json(self) -> typing.Any:
        '''Renders the object to Kubernetes JSON.'''
        return typing.cast(typing.Any, jsii.invoke(self, "toJson", []))

    @jsii.python.classproperty
    @jsii.member(jsii_name="GVK")
    def GVK(cls) -> "_cdk8s_d3d9af27.GroupVersionKind":
        '''Returns the apiVersion and kind for "HelmRepository".'''
        return typing.cast("_cdk8s_d3d9af27.GroupVersionKind", jsii.sget(cls, "GVK"))


@jsii.data_type(
    jsii_type="helmrepository_iofluxcdtoolkitsource.HelmRepositoryProps",
    jsii_struct_bases=[],
    name_mapping={"metadata": "metadata", "spec": "spec"},
)
class HelmRepositoryProps:
    def __init__(
        self,
        *,
        metadata: typing.Optional[typing.Union["_cdk8s_d3d9af27.ApiObjectMetadata", typing.Dict[builtins.str, typing.Any]]] = None,
        spec: typing.Optional[typing.Union["HelmRepositorySpec", typing.Dict[builtins.str, typing.Any]]] = None,
    ) -> None:
        '''HelmRepository is the Schema for the helmrepositories API.

        :param metadata: 
        :param spec: HelmRepositorySpec specifies the required configuration to produce an Artifact for a Helm repository index YAML.

        :schema: HelmRepository
        '''
        if isinstance(metadata, dict):
            metadata = _cdk8s_d3d9af27.ApiObjectMetadata(**metadata)
        if isinstance(spec, dict):
            spec = HelmRepositorySpec(**spec)
        if __debug__:
            type_hints = cached_type_hints(_typecheckingstub__610435e98c1e23f074fa1843869741639d60239d3d7e6195d62fc9fa481a6ba7)
            check_type(argname="argument metadata", value=metadata, expected_type=type_hints["metadata"])
            check_type(argname="argument spec", value=spec, expected_type=type_hints["spec"])
        self._values: typing.Dict[builtins.str, typing.Any] = {}
        if metadata is not None:
            self._values["metadata"] = metadata
        if spec is not None:
            self._values["spec"] = spec

    @builtins.property
    def metadata(self) -> typing.Optional["_cdk8s_d3d9af27.ApiObjectMetadata"]:
        '''
        :schema: HelmRepository#metadata
        '''
        result = self._values.get("metadata")
        return typing.cast(typing.Optional["_cdk8s_d3d9af27.ApiObjectMetadata"], result)

    @builtins.property
    def spec(self) -> typing.Optional["HelmRepositorySpec"]:
        '''HelmRepositorySpec specifies the required configuration to produce an Artifact for a Helm repository index YAML.

        :schema: HelmRepository#spec
        '''
        result = self._values.get("spec")
        return typing.cast(typing.Optional["HelmRepositorySpec"], result)

    def __eq__(self, rhs: typing.Any) -> builtins.bool:
        return isinstance(rhs, self.__class__) and rhs._values == self._values

    def __ne__(self, rhs: typing.Any) -> builtins.bool:
        return not (rhs == self)

    def __repr__(self) -> str:
        return "HelmRepositoryProps(%s)" % ", ".join(
            k + "=" + repr(v) for k, v in self._values.items()
        )


@jsii.data_type(
    jsii_type="helmrepository_iofluxcdtoolkitsource.HelmRepositorySpec",
    jsii_struct_bases=[],
    name_mapping={
        "url": "url",
        "access_from": "accessFrom",
        "cert_secret_ref": "certSecretRef",
        "insecure": "insecure",
        "interval": "interval",
        "pass_credentials": "passCredentials",
        "provider": "provider",
        "secret_ref": "secretRef",
        "suspend": "suspend",
        "timeout": "timeout",
        "type": "type",
    },
)
class HelmRepositorySpec:
    def __init__(
        self,
        *,
        url: builtins.str,
        access_from: typing.Optional[typing.Union["HelmRepositorySpecAccessFrom", typing.Dict[builtins.str, typing.Any]]] = None,
        cert_secret_ref: typing.Optional[typing.Union["HelmRepositorySpecCertSecretRef", typing.Dict[builtins.str, typing.Any]]] = None,
        insecure: typing.Optional[builtins.bool] = None,
        interval: typing.Optional[builtins.str] = None,
        pass_credentials: typing.Optional[builtins.bool] = None,
        provider: typing.Optional["HelmRepositorySpecProvider"] = None,
        secret_ref: typing.Optional[typing.Union["HelmRepositorySpecSecretRef", typing.Dict[builtins.str, typing.Any]]] = None,
        suspend: typing.Optional[builtins.bool] = None,
        timeout: typing.Optional[builtins.str] = None,
        type: typing.Optional["HelmRepositorySpecType"] = None,
    ) -> None:
        '''HelmRepositorySpec specifies the required configuration to produce an Artifact for a Helm repository index YAML.

        :param url: URL of the Helm repository, a valid URL contains at least a protocol and host.
        :param access_from: AccessFrom specifies an Access Control List for allowing cross-namespace references to this object. NOTE: Not implemented, provisional as of https://github.com/fluxcd/flux2/pull/2092
        :param cert_secret_ref: CertSecretRef can be given the name of a Secret containing either or both of. - a PEM-encoded client certificate (``tls.crt``) and private key (``tls.key``); - a PEM-encoded CA certificate (``ca.crt``) and whichever are supplied, will be used for connecting to the registry. The client cert and key are useful if you are authenticating with a certificate; the CA cert is useful if you are using a self-signed server certificate. The Secret must be of type ``Opaque`` or ``kubernetes.io/tls``. It takes precedence over the values specified in the Secret referred to by ``.spec.secretRef``.
        :param insecure: Insecure allows connecting to a non-TLS HTTP container registry. This field is only taken into account if the .spec.type field is set to 'oci'.
        :param interval: Interval at which the HelmRepository URL is checked for updates. This interval is approximate and may be subject to jitter to ensure efficient use of resources.
        :param pass_credentials: PassCredentials allows the credentials from the SecretRef to be passed on to a host that does not match the host as defined in URL. This may be required if the host of the advertised chart URLs in the index differ from the defined URL. Enabling this should be done with caution, as it can potentially result in credentials getting stolen in a MITM-attack.
        :param provider: Provider used for authentication, can be 'aws', 'azure', 'gcp' or 'generic'. This field is optional, and only taken into account if the .spec.type field is set to 'oci'. When not specified, defaults to 'generic'.
        :param secret_ref: SecretRef specifies the Secret containing authentication credentials for the HelmRepository. For HTTP/S basic auth the secret must contain 'username' and 'password' fields. Support for TLS auth using the 'certFile' and 'keyFile', and/or 'caFile' keys is deprecated. Please use ``.spec.certSecretRef`` instead.
        :param suspend: Suspend tells the controller to suspend the reconciliation of this HelmRepository.
        :param timeout: Timeout is used for the index fetch operation for an HTTPS helm repository, and for remote OCI Repository operations like pulling for an OCI helm chart by the associated HelmChart. Its default value is 60s.
        :param type: Type of the HelmRepository. When this field is set to "oci", the URL field value must be prefixed with "oci://".

        :schema: HelmRepositorySpec
        '''
        if isinstance(access_from, dict):
            access_from = HelmRepositorySpecAccessFrom(**access_from)
        if isinstance(cert_secret_ref, dict):
            cert_secret_ref = HelmRepositorySpecCertSecretRef(**cert_secret_ref)
        if isinstance(secret_ref, dict):
            secret_ref = HelmRepositorySpecSecretRef(**secret_ref)
        if __debug__:
            type_hints = cached_type_hints(_typecheckingstub__08f123d9953d11e41155e9c8065e76b9b8d714f3a5675a412d752c0ee8b0a42b)
            check_type(argname="argument url", value=url, expected_type=type_hints["url"])
            check_type(argname="argument access_from", value=access_from, expected_type=type_hints["access_from"])
            check_type(argname="argument cert_secret_ref", value=cert_secret_ref, expected_type=type_hints["cert_secret_ref"])
            check_type(argname="argument insecure", value=insecure, expected_type=type_hints["insecure"])
            check_type(argname="argument interval", value=interval, expected_type=type_hints["interval"])
            check_type(argname="argument pass_credentials", value=pass_credentials, expected_type=type_hints["pass_credentials"])
            check_type(argname="argument provider", value=provider, expected_type=type_hints["provider"])
            check_type(argname="argument secret_ref", value=secret_ref, expected_type=type_hints["secret_ref"])
            check_type(argname="argument suspend", value=suspend, expected_type=type_hints["suspend"])
            check_type(argname="argument timeout", value=timeout, expected_type=type_hints["timeout"])
            check_type(argname="argument type", value=type, expected_type=type_hints["type"])
        self._values: typing.Dict[builtins.str, typing.Any] = {
            "url": url,
        }
        if access_from is not None:
            self._values["access_from"] = access_from
        if cert_secret_ref is not None:
            self._values["cert_secret_ref"] = cert_secret_ref
        if insecure is not None:
            self._values["insecure"] = insecure
        if interval is not None:
            self._values["interval"] = interval
        if pass_credentials is not None:
            self._values["pass_credentials"] = pass_credentials
        if provider is not None:
            self._values["provider"] = provider
        if secret_ref is not None:
            self._values["secret_ref"] = secret_ref
        if suspend is not None:
            self._values["suspend"] = suspend
        if timeout is not None:
            self._values["timeout"] = timeout
        if type is not None:
            self._values["type"] = type

    @builtins.property
    def url(self) -> builtins.str:
        '''URL of the Helm repository, a valid URL contains at least a protocol and host.

        :schema: HelmRepositorySpec#url
        '''
        result = self._values.get("url")
        assert result is not None, "Required property 'url' is missing"
        return typing.cast(builtins.str, result)

    @builtins.property
    def access_from(self) -> typing.Optional["HelmRepositorySpecAccessFrom"]:
        '''AccessFrom specifies an Access Control List for allowing cross-namespace references to this object.

        NOTE: Not implemented, provisional as of https://github.com/fluxcd/flux2/pull/2092

        :schema: HelmRepositorySpec#accessFrom
        '''
        result = self._values.get("access_from")
        return typing.cast(typing.Optional["HelmRepositorySpecAccessFrom"], result)

    @builtins.property
    def cert_secret_ref(self) -> typing.Optional["HelmRepositorySpecCertSecretRef"]:
        '''CertSecretRef can be given the name of a Secret containing either or both of.

        - a PEM-encoded client certificate (``tls.crt``) and private
          key (``tls.key``);
        - a PEM-encoded CA certificate (``ca.crt``)

        and whichever are supplied, will be used for connecting to the
        registry. The client cert and key are useful if you are
        authenticating with a certificate; the CA cert is useful if
        you are using a self-signed server certificate. The Secret must
        be of type ``Opaque`` or ``kubernetes.io/tls``.

        It takes precedence over the values specified in the Secret referred
        to by ``.spec.secretRef``.

        :schema: HelmRepositorySpec#certSecretRef
        '''
        result = self._values.get("cert_secret_ref")
        return typing.cast(typing.Optional["HelmRepositorySpecCertSecretRef"], result)

    @builtins.property
    def insecure(self) -> typing.Optional[builtins.bool]:
        '''Insecure allows connecting to a non-TLS HTTP container registry.

        This field is only taken into account if the .spec.type field is set to 'oci'.

        :schema: HelmRepositorySpec#insecure
        '''
        result = self._values.get("insecure")
        return typing.cast(typing.Optional[builtins.bool], result)

    @builtins.property
    def interval(self) -> typing.Optional[builtins.str]:
        '''Interval at which the HelmRepository URL is checked for updates.

        This interval is approximate and may be subject to jitter to ensure
        efficient use of resources.

        :schema: HelmRepositorySpec#interval
        '''
        result = self._values.get("interval")
        return typing.cast(typing.Optional[builtins.str], result)

    @builtins.property
    def pass_credentials(self) -> typing.Optional[builtins.bool]:
        '''PassCredentials allows the credentials from the SecretRef to be passed on to a host that does not match the host as defined in URL.

        This may be required if the host of the advertised chart URLs in the
        index differ from the defined URL.
        Enabling this should be done with caution, as it can potentially result
        in credentials getting stolen in a MITM-attack.

        :schema: HelmRepositorySpec#passCredentials
        '''
        result = self._values.get("pass_credentials")
        return typing.cast(typing.Optional[builtins.bool], result)

    @builtins.property
    def provider(self) -> typing.Optional["HelmRepositorySpecProvider"]:
        '''Provider used for authentication, can be 'aws', 'azure', 'gcp' or 'generic'.

        This field is optional, and only taken into account if the .spec.type field is set to 'oci'.
        When not specified, defaults to 'generic'.

        :schema: HelmRepositorySpec#provider
        '''
        result = self._values.get("provider")
        return typing.cast(typing.Optional["HelmRepositorySpecProvider"], result)

    @builtins.property
    def secret_ref(self) -> typing.Optional["HelmRepositorySpecSecretRef"]:
        '''SecretRef specifies the Secret containing authentication credentials for the HelmRepository.

        For HTTP/S basic auth the secret must contain 'username' and 'password'
        fields.
        Support for TLS auth using the 'certFile' and 'keyFile', and/or 'caFile'
        keys is deprecated. Please use ``.spec.certSecretRef`` instead.

        :schema: HelmRepositorySpec#secretRef
        '''
        result = self._values.get("secret_ref")
        return typing.cast(typing.Optional["HelmRepositorySpecSecretRef"], result)

    @builtins.property
    def suspend(self) -> typing.Optional[builtins.bool]:
        '''Suspend tells the controller to suspend the reconciliation of this HelmRepository.

        :schema: HelmRepositorySpec#suspend
        '''
        result = self._values.get("suspend")
        return typing.cast(typing.Optional[builtins.bool], result)

    @builtins.property
    def timeout(self) -> typing.Optional[builtins.str]:
        '''Timeout is used for the index fetch operation for an HTTPS helm repository, and for remote OCI Repository operations like pulling for an OCI helm chart by the associated HelmChart.

        Its default value is 60s.

        :schema: HelmRepositorySpec#timeout
        '''
        result = self._values.get("timeout")
        return typing.cast(typing.Optional[builtins.str], result)

    @builtins.property
    def type(self) -> typing.Optional["HelmRepositorySpecType"]:
        '''Type of the HelmRepository.

        When this field is set to  "oci", the URL field value must be prefixed with "oci://".

        :schema: HelmRepositorySpec#type
        '''
        result = self._values.get("type")
        return typing.cast(typing.Optional["HelmRepositorySpecType"], result)

    def __eq__(self, rhs: typing.Any) -> builtins.bool:
        return isinstance(rhs, self.__class__) and rhs._values == self._values

    def __ne__(self, rhs: typing.Any) -> builtins.bool:
        return not (rhs == self)

    def __repr__(self) -> str:
        return "HelmRepositorySpec(%s)" % ", ".join(
            k + "=" + repr(v) for k, v in self._values.items()
        )


@jsii.data_type(
    jsii_type="helmrepository_iofluxcdtoolkitsource.HelmRepositorySpecAccessFrom",
    jsii_struct_bases=[],
    name_mapping={"namespace_selectors": "namespaceSelectors"},
)
class HelmRepositorySpecAccessFrom:
    def __init__(
        self,
        *,
        namespace_selectors: typing.Sequence[typing.Union["HelmRepositorySpecAccessFromNamespaceSelectors", typing.Dict[builtins.str, typing.Any]]],
    ) -> None:
        '''AccessFrom specifies an Access Control List for allowing cross-namespace references to this object.

        NOTE: Not implemented, provisional as of https://github.com/fluxcd/flux2/pull/2092

        :param namespace_selectors: NamespaceSelectors is the list of namespace selectors to which this ACL applies. Items in this list are evaluated using a logical OR operation.

        :schema: HelmRepositorySpecAccessFrom
        '''
        if __debug__:
            type_hints = cached_type_hints(_typecheckingstub__2058c2ba605a42b8c09fbe44e64ab049aa7d01b10e43479a117ddd61e5fea973)
            check_type(argname="argument namespace_selectors", value=namespace_selectors, expected_type=type_hints["namespace_selectors"])
        self._values: typing.Dict[builtins.str, typing.Any] = {
            "namespace_selectors": namespace_selectors,
        }

    @builtins.property
    def namespace_selectors(
        self,
    ) -> typing.List["HelmRepositorySpecAccessFromNamespaceSelectors"]:
        '''NamespaceSelectors is the list of namespace selectors to which this ACL applies.

        Items in this list are evaluated using a logical OR operation.

        :schema: HelmRepositorySpecAccessFrom#namespaceSelectors
        '''
        result = self._values.get("namespace_selectors")
        assert result is not None, "Required property 'namespace_selectors' is missing"
        return typing.cast(typing.List["HelmRepositorySpecAccessFromNamespaceSelectors"], result)

    def __eq__(self, rhs: typing.Any) -> builtins.bool:
        return isinstance(rhs, self.__class__) and rhs._values == self._values

    def __ne__(self, rhs: typing.Any) -> builtins.bool:
        return not (rhs == self)

    def __repr__(self) -> str:
        return "HelmRepositorySpecAccessFrom(%s)" % ", ".join(
            k + "=" + repr(v) for k, v in self._values.items()
        )


@jsii.data_type(
    jsii_type="helmrepository_iofluxcdtoolkitsource.HelmRepositorySpecAccessFromNamespaceSelectors",
    jsii_struct_bases=[],
    name_mapping={"match_labels": "matchLabels"},
)
class HelmRepositorySpecAccessFromNamespaceSelectors:
    def __init__(
        self,
        *,
        match_labels: typing.Optional[typing.Mapping[builtins.str, builtins.str]] = None,
    ) -> None:
        '''NamespaceSelector selects the namespaces to which this ACL applies.

        An empty map of MatchLabels matches all namespaces in a cluster.

        :param match_labels: MatchLabels is a map of {key,value} pairs. A single {key,value} in the matchLabels map is equivalent to an element of matchExpressions, whose key field is "key", the operator is "In", and the values array contains only "value". The requirements are ANDed.

        :schema: HelmRepositorySpecAccessFromNamespaceSelectors
        '''
        if __debug__:
            type_hints = cached_type_hints(_typecheckingstub__931866ea94d9ceae10ef1329255417f64f2edc1e6c45fa844a82075f02b9d6d8)
            check_type(argname="argument match_labels", value=match_labels, expected_type=type_hints["match_labels"])
        self._values: typing.Dict[builtins.str, typing.Any] = {}
        if match_labels is not None:
            self._values["match_labels"] = match_labels

    @builtins.property
    def match_labels(
        self,
    ) -> typing.Optional[typing.Mapping[builtins.str, builtins.str]]:
        '''MatchLabels is a map of {key,value} pairs.

        A single {key,value} in the matchLabels
        map is equivalent to an element of matchExpressions, whose key field is "key", the
        operator is "In", and the values array contains only "value". The requirements are ANDed.

        :schema: HelmRepositorySpecAccessFromNamespaceSelectors#matchLabels
        '''
        result = self._values.get("match_labels")
        return typing.cast(typing.Optional[typing.Mapping[builtins.str, builtins.str]], result)

    def __eq__(self, rhs: typing.Any) -> builtins.bool:
        return isinstance(rhs, self.__class__) and rhs._values == self._values

    def __ne__(self, rhs: typing.Any) -> builtins.bool:
        return not (rhs == self)

    def __repr__(self) -> str:
        return "HelmRepositorySpecAccessFromNamespaceSelectors(%s)" % ", ".join(
            k + "=" + repr(v) for k, v in self._values.items()
        )


@jsii.data_type(
    jsii_type="helmrepository_iofluxcdtoolkitsource.HelmRepositorySpecCertSecretRef",
    jsii_struct_bases=[],
    name_mapping={"name": "name"},
)
class HelmRepositorySpecCertSecretRef:
    def __init__(self, *, name: builtins.str) -> None:
        '''CertSecretRef can be given the name of a Secret containing either or both of.

        - a PEM-encoded client certificate (``tls.crt``) and private
          key (``tls.key``);
        - a PEM-encoded CA certificate (``ca.crt``)

        and whichever are supplied, will be used for connecting to the
        registry. The client cert and key are useful if you are
        authenticating with a certificate; the CA cert is useful if
        you are using a self-signed server certificate. The Secret must
        be of type ``Opaque`` or ``kubernetes.io/tls``.

        It takes precedence over the values specified in the Secret referred
        to by ``.spec.secretRef``.

        :param name: Name of the referent.

        :schema: HelmRepositorySpecCertSecretRef
        '''
        if __debug__:
            type_hints = cached_type_hints(_typecheckingstub__690a217a49e094421c429d2e7e0cb388259e2d8b3ba96f0c7fbadfc73618fa37)
            check_type(argname="argument name", value=name, expected_type=type_hints["name"])
        self._values: typing.Dict[builtins.str, typing.Any] = {
            "name": name,
        }

    @builtins.property
    def name(self) -> builtins.str:
        '''Name of the referent.

        :schema: HelmRepositorySpecCertSecretRef#name
        '''
        result = self._values.get("name")
        assert result is not None, "Required property 'name' is missing"
        return typing.cast(builtins.str, result)

    def __eq__(self, rhs: typing.Any) -> builtins.bool:
        return isinstance(rhs, self.__class__) and rhs._values == self._values

    def __ne__(self, rhs: typing.Any) -> builtins.bool:
        return not (rhs == self)

    def __repr__(self) -> str:
        return "HelmRepositorySpecCertSecretRef(%s)" % ", ".join(
            k + "=" + repr(v) for k, v in self._values.items()
        )


@jsii.enum(jsii_type="helmrepository_iofluxcdtoolkitsource.HelmRepositorySpecProvider")
class HelmRepositorySpecProvider(enum.Enum):
    '''Provider used for authentication, can be 'aws', 'azure', 'gcp' or 'generic'.

    This field is optional, and only taken into account if the .spec.type field is set to 'oci'.
    When not specified, defaults to 'generic'.

    :schema: HelmRepositorySpecProvider
    '''

    GENERIC = "GENERIC"
    '''generic.'''
    AWS = "AWS"
    '''aws.'''
    AZURE = "AZURE"
    '''azure.'''
    GCP = "GCP"
    '''gcp.'''


@jsii.data_type(
    jsii_type="helmrepository_iofluxcdtoolkitsource.HelmRepositorySpecSecretRef",
    jsii_struct_bases=[],
    name_mapping={"name": "name"},
)
class HelmRepositorySpecSecretRef:
    def __init__(self, *, name: builtins.str) -> None:
        '''SecretRef specifies the Secret containing authentication credentials for the HelmRepository.

        For HTTP/S basic auth the secret must contain 'username' and 'password'
        fields.
        Support for TLS auth using the 'certFile' and 'keyFile', and/or 'caFile'
        keys is deprecated. Please use ``.spec.certSecretRef`` instead.

        :param name: Name of the referent.

        :schema: HelmRepositorySpecSecretRef
        '''
        if __debug__:
            type_hints = cached_type_hints(_typecheckingstub__8657b1c5be51bd4a87d1a7afa58b7e65a84d28e6b09e0330e6761af6bed61280)
            check_type(argname="argument name", value=name, expected_type=type_hints["name"])
        self._values: typing.Dict[builtins.str, typing.Any] = {
            "name": name,
        }

    @builtins.property
    def name(self) -> builtins.str:
        '''Name of the referent.

        :schema: HelmRepositorySpecSecretRef#name
        '''
        result = self._values.get("name")
        assert result is not None, "Required property 'name' is missing"
        return typing.cast(builtins.str, result)

    def __eq__(self, rhs: typing.Any) -> builtins.bool:
        return isinstance(rhs, self.__class__) and rhs._values == self._values

    def __ne__(self, rhs: typing.Any) -> builtins.bool:
        return not (rhs == self)

    def __repr__(self) -> str:
        return "HelmRepositorySpecSecretRef(%s)" % ", ".join(
            k + "=" + repr(v) for k, v in self._values.items()
        )


@jsii.enum(jsii_type="helmrepository_iofluxcdtoolkitsource.HelmRepositorySpecType")
class HelmRepositorySpecType(enum.Enum):
    '''Type of the HelmRepository.

    When this field is set to  "oci", the URL field value must be prefixed with "oci://".

    :schema: HelmRepositorySpecType
    '''

    DEFAULT = "DEFAULT"
    '''default.'''
    OCI = "OCI"
    '''oci.'''


__all__ = [
    "HelmRepository",
    "HelmRepositoryProps",
    "HelmRepositorySpec",
    "HelmRepositorySpecAccessFrom",
    "HelmRepositorySpecAccessFromNamespaceSelectors",
    "HelmRepositorySpecCertSecretRef",
    "HelmRepositorySpecProvider",
    "HelmRepositorySpecSecretRef",
    "HelmRepositorySpecType",
]

publication.publish()

def _typecheckingstub__cc4422e805b5c02366c332ef89e48d76c148f23689946a8aaddf6f96f62ee8f4(
    scope: _constructs_77d1e7e8.Construct,
    id: builtins.str,
    *,
    metadata: typing.Optional[typing.Union[_cdk8s_d3d9af27.ApiObjectMetadata, typing.Dict[builtins.str, typing.Any]]] = None,
    spec: typing.Optional[typing.Union[HelmRepositorySpec, typing.Dict[builtins.str, typing.Any]]] = None,
) -> None:
    """Type checking stubs"""
    pass

def _typecheckingstub__610435e98c1e23f074fa1843869741639d60239d3d7e6195d62fc9fa481a6ba7(
    *,
    metadata: typing.Optional[typing.Union[_cdk8s_d3d9af27.ApiObjectMetadata, typing.Dict[builtins.str, typing.Any]]] = None,
    spec: typing.Optional[typing.Union[HelmRepositorySpec, typing.Dict[builtins.str, typing.Any]]] = None,
) -> None:
    """Type checking stubs"""
    pass

def _typecheckingstub__08f123d9953d11e41155e9c8065e76b9b8d714f3a5675a412d752c0ee8b0a42b(
    *,
    url: builtins.str,
    access_from: typing.Optional[typing.Union[HelmRepositorySpecAccessFrom, typing.Dict[builtins.str, typing.Any]]] = None,
    cert_secret_ref: typing.Optional[typing.Union[HelmRepositorySpecCertSecretRef, typing.Dict[builtins.str, typing.Any]]] = None,
    insecure: typing.Optional[builtins.bool] = None,
    interval: typing.Optional[builtins.str] = None,
    pass_credentials: typing.Optional[builtins.bool] = None,
    provider: typing.Optional[HelmRepositorySpecProvider] = None,
    secret_ref: typing.Optional[typing.Union[HelmRepositorySpecSecretRef, typing.Dict[builtins.str, typing.Any]]] = None,
    suspend: typing.Optional[builtins.bool] = None,
    timeout: typing.Optional[builtins.str] = None,
    type: typing.Optional[HelmRepositorySpecType] = None,
) -> None:
    """Type checking stubs"""
    pass

def _typecheckingstub__2058c2ba605a42b8c09fbe44e64ab049aa7d01b10e43479a117ddd61e5fea973(
    *,
    namespace_selectors: typing.Sequence[typing.Union[HelmRepositorySpecAccessFromNamespaceSelectors, typing.Dict[builtins.str, typing.Any]]],
) -> None:
    """Type checking stubs"""
    pass

def _typecheckingstub__931866ea94d9ceae10ef1329255417f64f2edc1e6c45fa844a82075f02b9d6d8(
    *,
    match_labels: typing.Optional[typing.Mapping[builtins.str, builtins.str]] = None,
) -> None:
    """Type checking stubs"""
    pass

def _typecheckingstub__690a217a49e094421c429d2e7e0cb388259e2d8b3ba96f0c7fbadfc73618fa37(
    *,
    name: builtins.str,
) -> None:
    """Type checking stubs"""
    pass

def _typecheckingstub__8657b1c5be51bd4a87d1a7afa58b7e65a84d28e6b09e0330e6761af6bed61280(
    *,
    name: builtins.str,
) -> None:
    """Type checking stubs"""
    pass
