import type { QuotaRecount } from '@apiserver/admission';
import type { ResourceQuota } from '@apiserver/api/core/v1';
import type { Clock } from '@apiserver/apimachinery/clock';
import { isConflict } from '@apiserver/apimachinery/errors';
import { equalJson } from '@apiserver/apimachinery/json';
import { type Informer, type LoopbackClient, loadedObjects } from '@apiserver/apiserver-contracts';
import type { DiscoveredResource } from '../discovery/resource-discovery.js';
import { objectOfKey } from '../namespaced-key.js';
import { WorkPauses } from '../work-pauses.js';
import { LoweredCounts } from './lowered-counts.js';
import { writeCount } from './write-count.js';

/** The resource of quotas. */
export const RESOURCE_QUOTAS = { group: '', version: 'v1', resource: 'resourcequotas' };

/** Milliseconds of a slice of a count that was refused before. The shorter a count is, the fewer charges come during it. */
const REPEATED_SLICE_MS = 40;

/** Dependencies of a QuotaCounter. */
export interface QuotaCounterOptions {
  readonly quotas: Informer<ResourceQuota>;
  readonly client: LoopbackClient;
  readonly clock: Clock;
  readonly recount: QuotaRecount;
}

/** Counts the objects that a quota limits, and writes its status. */
export class QuotaCounter {
  readonly #options: QuotaCounterOptions;
  readonly #lowered: LoweredCounts;
  readonly #pauses: WorkPauses;
  /** Keys of quotas that were charged during their last count. */
  readonly #refused = new Set<string>();

  constructor(options: QuotaCounterOptions) {
    this.#options = options;
    this.#lowered = new LoweredCounts(options.clock);
    this.#pauses = new WorkPauses(options.clock);
  }

  /**
   * Counts the quota with this key. Returns the milliseconds until it must be counted again, if any. Throws a Conflict
   * for a quota that was charged meanwhile.
   */
  async count(key: string, resources: readonly DiscoveredResource[]): Promise<number | undefined> {
    const { quotas, recount } = this.#options;
    const { namespace, name } = objectOfKey(key);
    const quota = quotas.get(namespace, name);
    if (quota === undefined) {
      this.#forget(key);
      return undefined;
    }
    const left = this.#pauses.left(key);
    if (left > 0) return left;
    const began = this.#pauses.begin();
    const slice = this.#refused.delete(key) ? REPEATED_SLICE_MS : undefined;
    const recounted = recount.recounted(quota, ...(await this.#usagesOf(quota, resources, slice)));
    // Limits that changed during the count are counted at once.
    if (!isSpecChanged(quotas.get(namespace, name) ?? quota, quota)) this.#pauses.ended(key, began);
    if (recounted !== undefined) {
      const isCharged = await this.#write(key, quota, recounted);
      if (isCharged || recount.isLowered(quota, recounted)) this.#lowered.repeatLater(key);
    }
    return this.#lowered.pauseBeforeRepeat(key);
  }

  /** The next count of the quota does not wait for a pause. */
  forgetPause(key: string): void {
    this.#pauses.forget(key);
  }

  #forget(key: string): void {
    this.#refused.delete(key);
    this.#pauses.forget(key);
    this.#lowered.forget(key);
  }

  /** The usage of each counted resource. `slice`: milliseconds between turns of the event loop. */
  #usagesOf(
    quota: ResourceQuota,
    resources: readonly DiscoveredResource[],
    slice: number | undefined,
  ): Promise<readonly Readonly<Record<string, string>>[]> {
    const { client, recount } = this.#options;
    const { namespace = '' } = quota.metadata;
    const counted = resources.filter((resource) => recount.concerns(quota, resource));
    const usages = counted.map(async (resource) => {
      const { items } = await client.resource(resource).list(namespace);
      return recount.usage(quota, resource, loadedObjects(items, slice));
    });
    return Promise.all(usages);
  }

  async #write(key: string, before: ResourceQuota, recounted: ResourceQuota): Promise<boolean> {
    const { client, recount } = this.#options;
    try {
      return await writeCount(client.resource<ResourceQuota>(RESOURCE_QUOTAS), { before, recounted }, recount);
    } catch (error) {
      if (isConflict(error)) this.#refused.add(key);
      throw error;
    }
  }
}

/** Reports whether the limits of a quota have changed. */
export function isSpecChanged({ spec }: ResourceQuota, old: ResourceQuota): boolean {
  return !equalJson(spec, old.spec);
}
