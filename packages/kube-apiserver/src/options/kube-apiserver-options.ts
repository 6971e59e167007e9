import { fieldErrorMessage } from '@apiserver/apimachinery/field';
import { AuditOptions } from '@apiserver/audit';
import { NamedFlagSets } from '@apiserver/component-base/flags';
import { LoggingOptions } from '@apiserver/component-base/logging';
import type { VersionInfo } from '@apiserver/component-base/version';
import {
  AuthenticationOptions,
  AuthorizationOptions,
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
import { ResourceOptions } from './resource-options.js';
import { ServiceAccountOptions } from './service-account-options.js';
import { ServiceOptions } from './service-options.js';
import { StorageOptions } from './storage-options.js';
import { TestEndpointOptions } from './test-endpoint-options.js';

/** Upstream's default port of kube-apiserver. Upstream: pkg/kubeapiserver/options.NewSecureServingOptions */
const defaultSecurePort = 6443;

/**
 * All options of kube-apiserver's command line. Each default is at its field.
 * Upstream: cmd/kube-apiserver/app/options.ServerRunOptions
 */
export class KubeApiserverOptions {
  readonly generic = new ServerRunOptions();
  readonly data = new DataOptions();
  readonly storage = new StorageOptions();
  readonly secureServing = Object.assign(new SecureServingOptions(), { securePort: defaultSecurePort });
  readonly audit = new AuditOptions();
  readonly authentication = new AuthenticationOptions();
  readonly serviceAccounts = new ServiceAccountOptions();
  readonly authorization = new AuthorizationOptions(['RBAC']);
  readonly admission = new AdmissionOptions();
  readonly services = new ServiceOptions();
  readonly apiEnablement = new ApiEnablementOptions();
  readonly aggregator = new AggregatorOptions();
  readonly resources = new ResourceOptions();
  readonly kubelet = new KubeletOptions();
  readonly controllers = new ControllerOptions();
  readonly testEndpoint = new TestEndpointOptions();
  readonly features = new FeatureOptions();
  readonly profiling = new ProfilingOptions();
  readonly logging = new LoggingOptions();
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
    this.data.addFlags(sets.section('storage'));
    this.storage.addFlags(sets.section('storage'));
    this.secureServing.addFlags(sets.section('secure serving'));
    this.audit.addFlags(sets.section('auditing'));
    this.profiling.addFlags(sets.section('features'));
    this.authentication.addFlags(sets.section('authentication'));
    this.serviceAccounts.addFlags(sets.section('authentication'));
    this.authorization.addFlags(sets.section('authorization'));
    this.admission.addFlags(sets.section('admission'));
    this.apiEnablement.addFlags(sets.section('API enablement'));
    this.services.addFlags(sets.section('misc'));
    this.aggregator.addFlags(sets.section('misc'));
    this.resources.addFlags(sets.section('misc'));
    this.kubelet.addFlags(sets.section('misc'));
    this.controllers.addFlags(sets.section('misc'));
    this.testEndpoint.addFlags(sets.section('misc'));
    this.logging.addFlags(sets.section('logs'));
    return sets;
  }

  /** Messages of all faults; empty if the options are valid. */
  validate(): readonly string[] {
    const errors = [
      ...this.generic.validate(),
      ...this.data.validate(),
      ...this.storage.validate(),
      ...this.secureServing.validate(),
      ...this.#validateServingFiles(),
      ...this.audit.validate(),
      ...this.authentication.validate(),
      ...this.serviceAccounts.validate(),
      ...this.authorization.validate(),
      ...this.admission.validate(),
      ...this.services.validate(),
      ...this.apiEnablement.validate(),
      ...this.resources.validate(),
      ...this.kubelet.validate(),
      ...this.controllers.validate(),
      ...this.testEndpoint.validate(),
      ...this.features.validate(),
    ];
    return [...this.logging.validate().map(fieldErrorMessage), ...errors.map(({ message }) => message)];
  }

  /** Upstream: k8s.io/apiserver/pkg/server/dynamiccertificates.NewDynamicServingContentFromFiles */
  #validateServingFiles(): readonly Error[] {
    const { certFile, privateKeyFile } = this.secureServing;
    return (certFile === '') === (privateKeyFile === '') ? [] : [new Error('missing filename for serving cert')];
  }
}
