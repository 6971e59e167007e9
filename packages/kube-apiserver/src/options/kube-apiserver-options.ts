import { fieldErrorMessage } from '@apiserver/apimachinery/field';
import { AuditOptions } from '@apiserver/audit';
import { type FlagSet, NamedFlagSets } from '@apiserver/component-base/flags';
import { LoggingOptions } from '@apiserver/component-base/logging';
import { MetricsOptions } from '@apiserver/component-base/metrics';
import type { VersionInfo } from '@apiserver/component-base/version';
import {
  AuthenticationOptions,
  AuthorizationOptions,
  EgressSelectorOptions,
  ProfilingOptions,
  SecureServingOptions,
  ServerRunOptions,
} from '@apiserver/generic-server';
import { AdmissionOptions } from './admission-options.js';
import { AggregatorOptions } from './aggregator-options.js';
import { ApiEnablementOptions } from './api-enablement-options.js';
import { ControllerOptions } from './controller-options.js';
import { DataOptions } from './data-options.js';
import { FeatureOptions } from './feature-options.js';
import { KubeletOptions } from './kubelet-options.js';
import { PeerOptions } from './peer-options.js';
import { ResourceOptions } from './resource-options.js';
import { ServiceAccountOptions } from './service-account-options.js';
import { ServiceOptions } from './service-options.js';
import { StorageOptions } from './storage-options.js';
import { TestEndpointOptions } from './test-endpoint-options.js';
import { TracingOptions } from './tracing-options.js';

/** Upstream's default port of kube-apiserver. Upstream: pkg/kubeapiserver/options.NewSecureServingOptions */
const DEFAULT_SECURE_PORT = 6443;

/**
 * All options of kube-apiserver's command line. Each default is at its field.
 * Upstream: cmd/kube-apiserver/app/options.ServerRunOptions
 */
export class KubeApiserverOptions {
  readonly generic = new ServerRunOptions();
  readonly data = new DataOptions();
  readonly storage = new StorageOptions();
  readonly secureServing = Object.assign(new SecureServingOptions(), { securePort: DEFAULT_SECURE_PORT });
  readonly audit = new AuditOptions();
  readonly authentication = new AuthenticationOptions();
  readonly serviceAccounts = new ServiceAccountOptions();
  readonly authorization = new AuthorizationOptions(['RBAC', 'Node']);
  readonly admission = new AdmissionOptions();
  readonly services = new ServiceOptions();
  readonly apiEnablement = new ApiEnablementOptions();
  readonly aggregator = new AggregatorOptions();
  readonly resources = new ResourceOptions();
  readonly kubelet = new KubeletOptions();
  readonly peers = new PeerOptions();
  readonly controllers = new ControllerOptions();
  readonly testEndpoint = new TestEndpointOptions();
  readonly features = new FeatureOptions();
  readonly profiling = new ProfilingOptions();
  readonly egressSelector = new EgressSelectorOptions();
  readonly metrics = new MetricsOptions();
  readonly logging = new LoggingOptions();
  readonly tracing = new TracingOptions();
  /** The version that the server reports. Default: the build's. */
  version: VersionInfo | undefined = undefined;
  #flagSets: NamedFlagSets | undefined = undefined;

  /** The flags in named sections, in the order of the help; parsing them writes into these options. Made once. */
  flagSets(): NamedFlagSets {
    this.#flagSets ??= this.#newFlagSets();
    return this.#flagSets;
  }

  #newFlagSets(): NamedFlagSets {
    const sets = new NamedFlagSets();
    this.generic.addFlags(sets.section('generic'));
    this.features.addFlags(sets.section('generic'));
    this.admission.addGenericFlags(sets.section('generic'));
    const etcd = sets.section('etcd');
    this.storage.addFlags(etcd);
    this.secureServing.addFlags(sets.section('secure serving'));
    this.audit.addFlags(sets.section('auditing'));
    this.profiling.addFlags(sets.section('features'));
    this.authentication.addFlags(sets.section('authentication'));
    this.serviceAccounts.addFlags(sets.section('authentication'));
    this.authorization.addFlags(sets.section('authorization'));
    this.apiEnablement.addFlags(sets.section('API enablement'));
    this.egressSelector.addFlags(sets.section('egress selector'));
    this.admission.addFlags(sets.section('admission'));
    this.metrics.addFlags(sets.section('metrics'));
    this.logging.addFlags(sets.section('logs'));
    this.tracing.addFlags(sets.section('traces'));
    this.#addMiscFlags(sets.section('misc'));
    // Upstream has none of these.
    const additional = sets.section('additional');
    this.data.addFlags(etcd, additional);
    this.secureServing.addImplementationFlags(additional);
    this.services.addAdditionalFlags(additional);
    this.controllers.addFlags(additional);
    this.testEndpoint.addFlags(additional);
    return sets;
  }

  #addMiscFlags(misc: FlagSet): void {
    this.services.addFlags(misc);
    this.aggregator.addFlags(misc);
    this.resources.addFlags(misc);
    this.kubelet.addFlags(misc);
    this.peers.addFlags(misc);
    this.serviceAccounts.addSigningFlags(misc);
  }

  /** Messages of all faults; empty if the options are valid. */
  validate(): readonly string[] {
    const features = this.features.validate();
    const uidHeaders = this.features.gate.enabled('RemoteRequestHeaderUID');
    const errors = [
      ...this.generic.validate(),
      ...this.data.validate(),
      ...this.storage.validate(),
      ...this.secureServing.validate(),
      ...this.#validateServingFiles(),
      ...this.audit.validate(),
      ...this.authentication.validate(uidHeaders),
      ...this.serviceAccounts.validate(),
      ...this.authorization.validate(),
      ...this.admission.validate(),
      ...this.services.validate(),
      ...this.apiEnablement.validate(),
      ...this.resources.validate(),
      ...this.kubelet.validate(),
      ...this.peers.validate(this.features.gate.enabled('UnknownVersionInteroperabilityProxy')),
      ...this.controllers.validate(),
      ...this.testEndpoint.validate(),
      ...this.egressSelector.validate(),
      ...this.metrics.validate(),
      ...features,
      ...this.tracing.validate(),
    ];
    return [
      ...this.logging
        .validate({ hasAlphaOptions: this.features.gate.enabled('LoggingAlphaOptions') })
        .map(fieldErrorMessage),
      ...errors.map(({ message }) => message),
    ];
  }

  /** Upstream: k8s.io/apiserver/pkg/server/dynamiccertificates.NewDynamicServingContentFromFiles */
  #validateServingFiles(): readonly Error[] {
    const { certFile, privateKeyFile } = this.secureServing;
    return (certFile === '') === (privateKeyFile === '') ? [] : [new Error('missing filename for serving cert')];
  }
}
