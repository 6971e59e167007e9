import type { Pod, ResourceQuota } from '@apiserver/api/core/v1';
import type { DeviceClass, ResourceClaim } from '@apiserver/api/resource/v1';
import { formatGroupResource } from '@apiserver/apimachinery';
import { inSlices } from '@apiserver/apimachinery/clock';
import { newInternalError, plainFailure } from '@apiserver/apimachinery/errors';
import type { AdmissionAttributes, AdmissionPlugin, Informer, ResourceClient } from '@apiserver/apiserver-contracts';
import { isResource, PODS } from '../endpoint.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';
import { equalAmounts, listOf } from '../quota/amounts.js';
import { checkRequest, type RunningQuota, runningQuota } from '../quota/check-request.js';
import type { LimitedResource } from '../quota/limited-resources.js';
import { limitedResourcesOf } from '../quota/quota-configuration.js';
import { QuotaEvaluators } from '../quota/quota-evaluators.js';
import { QuotaQueue, type QuotaWaiter } from '../quota/quota-queue.js';
import { ViewReadiness } from '../view-readiness.js';

const RESOURCE_QUOTAS = { group: '', version: 'v1', resource: 'resourcequotas' };
const DEVICE_CLASSES = { group: 'resource.k8s.io', version: 'v1', resource: 'deviceclasses' };
const DEVICE_CLAIMS = { group: 'resource.k8s.io', resource: 'resourceclaims' };
const CLAIMS = { group: '', resource: 'persistentvolumeclaims' };

/** Number of recounts of a quota after conflicts. */
const RETRIES = 3;
const TIMEOUT_MS = 10_000;

/** Resources whose contents are measured too. */
const MEASURED = new Set(['pods', 'services', 'persistentvolumeclaims', 'resourceclaims.resource.k8s.io']);

type Dependencies = Pick<AdmissionPluginDependencies, 'informer' | 'client' | 'clock' | 'configuration' | 'features'>;

/**
 * Holds the usage of a namespace to its quotas, and records it in their status before a request proceeds. A
 * controller records what deletions free.
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/resourcequota
 */
export function resourceQuota(dependencies: Dependencies): AdmissionPlugin {
  const limited = limitedResourcesOf(dependencies.configuration);
  const quotas = dependencies.informer<ResourceQuota>(RESOURCE_QUOTAS);
  const view = new ViewReadiness(quotas);
  const devices = deviceViews(dependencies);
  const evaluators = new QuotaEvaluators(dependencies.clock, dependencies.features, devices);
  const counter = new QuotaCounter(quotas, dependencies, { evaluators, limited });
  return {
    name: 'ResourceQuota',
    handles: (operation, { resource, subresource, namespaced }) => {
      if (!namespaced || (operation !== 'CREATE' && operation !== 'UPDATE')) return false;
      // Of other resources, only the number of objects counts.
      if (operation === 'UPDATE' && !MEASURED.has(formatGroupResource(resource))) return false;
      if (!evaluators.covers(resource)) return false;
      if (subresource === 'resize') return isResource(resource, PODS) && operation === 'UPDATE';
      if (subresource === 'status') return isResource(resource, CLAIMS) && operation === 'UPDATE';
      return subresource === '';
    },
    validate(attributes) {
      const count = (): Promise<void> | void => {
        if (limited.length === 0 && quotas.list(attributes.namespace).length === 0) return;
        const waits = isResource(attributes.resource, DEVICE_CLAIMS) ? devices?.ready(attributes) : undefined;
        return waits?.then(() => counter.count(attributes)) ?? counter.count(attributes);
      };
      return view.ready(attributes)?.then(count) ?? count();
    },
  };
}

/** The views for claims for devices, which begin with the first claim in a namespace with quotas. */
function deviceViews({ informer, features }: Dependencies) {
  if (!features.enabled('DRAExtendedResource')) return undefined;
  const classes = informer<DeviceClass>(DEVICE_CLASSES);
  const claims = informer<ResourceClaim>({ ...DEVICE_CLASSES, resource: 'resourceclaims' });
  const pods = informer<Pod>({ group: '', version: 'v1', resource: 'pods' });
  const view = new ViewReadiness(classes, claims, pods);
  return { classes, claims, pods, ready: (attributes: AdmissionAttributes) => view.ready(attributes) };
}

/** Charges requests to the quotas of their namespaces. */
class QuotaCounter {
  readonly #quotas: Informer<ResourceQuota>;
  readonly #client: ResourceClient<ResourceQuota>;
  readonly #dependencies: Dependencies;
  readonly #limited: readonly LimitedResource[];
  readonly #queue: QuotaQueue;
  readonly #evaluators: QuotaEvaluators;

  constructor(
    quotas: Informer<ResourceQuota>,
    dependencies: Dependencies,
    { evaluators, limited }: { readonly evaluators: QuotaEvaluators; readonly limited: readonly LimitedResource[] },
  ) {
    this.#evaluators = evaluators;
    this.#limited = limited;
    this.#quotas = quotas;
    this.#client = dependencies.client.resource<ResourceQuota>(RESOURCE_QUOTAS);
    this.#dependencies = dependencies;
    this.#queue = new QuotaQueue((namespace, waiters) =>
      this.#countAll(this.#quotas.list(namespace), waiters, RETRIES),
    );
  }

  /** Throws 403 if the request exceeds a quota. */
  async count(attributes: AdmissionAttributes): Promise<void> {
    if (!this.#evaluators.of(attributes.resource).handles(attributes)) return;
    const late = Promise.withResolvers<void>();
    const timeout = () => late.reject(newInternalError(new Error('resource quota evaluation timed out')));
    const cancel = this.#dependencies.clock.schedule(timeout, TIMEOUT_MS);
    try {
      await Promise.race([this.#queue.add(attributes), late.promise]);
    } finally {
      cancel();
    }
  }

  /** Settles every waiter. Quotas with a write conflict are recounted for the waiters that need them. */
  async #countAll(quotas: readonly ResourceQuota[], waiters: readonly QuotaWaiter[], retries: number): Promise<void> {
    const before = await inSlices(runningQuotas(quotas));
    let running: readonly RunningQuota[] = before;
    const charged: QuotaWaiter[] = [];
    for (const waiter of waiters) {
      const after = await this.#check(running, waiter);
      if (after === undefined) continue;
      charged.push(waiter);
      running = after;
    }
    const changed = running.filter(({ used }, i) => !equalAmounts(used, before[i]?.used ?? new Map()));
    const failures = await this.#store(changed);
    if (failures.size === 0) for (const { settle } of charged) settle();
    else await this.#again(failures, charged, retries);
  }

  /** The quotas' usage including the request; undefined if the request is already settled. */
  async #check(
    running: readonly RunningQuota[],
    { attributes, settle }: QuotaWaiter,
  ): Promise<readonly RunningQuota[] | undefined> {
    try {
      const evaluator = this.#evaluators.of(attributes.resource);
      const after = await inSlices(checkRequest(running, attributes, { evaluator, limited: this.#limited }));
      const isCharged = after.some(({ used }, i) => !equalAmounts(used, running[i]?.used ?? new Map()));
      if (isCharged && !attributes.dryRun) return after;
      settle();
    } catch (error) {
      settle(error);
    }
    return undefined;
  }

  /** Writes the quotas. Returns the errors of failed writes, by the quota's name. */
  async #store(changed: readonly RunningQuota[]): Promise<ReadonlyMap<string, unknown>> {
    const failures = new Map<string, unknown>();
    for (const { quota, used } of changed) {
      const { name = '', namespace = '' } = quota.metadata;
      const status = { ...quota.status, used: listOf(used) };
      try {
        await this.#client.update(namespace, { ...quota, status }, { subresource: 'status' });
      } catch (error) {
        failures.set(name, error);
      }
    }
    return failures;
  }

  /** Reads the quotas again; those that no longer exist are dropped. */
  async #again(
    failures: ReadonlyMap<string, unknown>,
    waiters: readonly QuotaWaiter[],
    retries: number,
  ): Promise<void> {
    if (retries === 0) {
      const last = [...failures.values()].at(-1) ?? plainFailure(500, 'the quota could not be written');
      for (const { settle } of waiters) settle(last);
      return;
    }
    const namespace = waiters[0]?.attributes.namespace ?? '';
    const current = this.#quotas.list(namespace).filter(({ metadata }) => failures.has(metadata.name ?? ''));
    await this.#countAll(current, waiters, retries - 1);
  }
}

/** In steps: a quota may have many thousands of amounts. */
function* runningQuotas(quotas: readonly ResourceQuota[]): Generator<void, RunningQuota[]> {
  const running: RunningQuota[] = [];
  for (const quota of quotas) {
    running.push(runningQuota(quota));
    yield;
  }
  return running;
}
