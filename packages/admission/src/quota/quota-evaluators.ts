import { formatGroupResource, type GroupResource } from '@apiserver/apimachinery';
import type { FeatureGates } from '@apiserver/apiserver-contracts';
import { consideredSpec } from '../pods/considered-spec.js';
import { claimEvaluator } from './claim-evaluator.js';
import { deviceClaimEvaluator } from './device-claim-evaluator.js';
import { type DeviceViews, ExtendedDevices } from './extended-devices.js';
import { podEvaluator } from './pod-evaluator.js';
import { objectCountEvaluator, type QuotaEvaluator } from './quota-evaluator.js';
import { serviceEvaluator } from './service-evaluator.js';

/** Not stored, or never counted. Upstream: DefaultIgnoredResources of pkg/quota/v1/install/registry.go */
const IGNORED = new Set([
  'bindings',
  'componentstatuses',
  'events',
  'events.events.k8s.io',
  'tokenreviews.authentication.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
]);

/** Resources that are also counted under their bare names. */
const COUNTED_BY_NAME = ['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'];

/** The evaluators of all resources. Upstream: NewQuotaConfigurationForAdmission of pkg/quota/v1/install */
export class QuotaEvaluators {
  readonly #clock: { now(): number };
  readonly #features: FeatureGates;
  readonly #devices: DeviceViews | undefined;
  readonly #known = new Map<string, QuotaEvaluator>();

  /** Without views, devices are no extended resources. */
  constructor(clock: { now(): number }, features: FeatureGates, devices?: DeviceViews) {
    this.#clock = clock;
    this.#features = features;
    this.#devices = features.enabled('DRAExtendedResource') ? devices : undefined;
  }

  /** False if objects of the resource count for no quota. */
  covers(resource: GroupResource): boolean {
    return !IGNORED.has(formatGroupResource(resource));
  }

  of(resource: GroupResource): QuotaEvaluator {
    const key = formatGroupResource(resource);
    const evaluator = this.#known.get(key) ?? this.#create(key, resource);
    this.#known.set(key, evaluator);
    return evaluator;
  }

  #pods(): QuotaEvaluator {
    return podEvaluator(this.#clock, consideredSpec(this.#features));
  }

  #create(key: string, resource: GroupResource): QuotaEvaluator {
    switch (key) {
      case 'pods':
        return this.#pods();
      case 'services':
        return serviceEvaluator;
      case 'persistentvolumeclaims':
        return claimEvaluator;
      case 'resourceclaims.resource.k8s.io':
        return deviceClaimEvaluator(this.#devices && new ExtendedDevices(this.#devices, this.#pods().usage));
      default:
        return objectCountEvaluator(resource, ...(COUNTED_BY_NAME.includes(key) ? [key] : []));
    }
  }
}
