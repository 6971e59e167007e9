import type { ResourceQuota } from '@apiserver/api/core/v1';
import type { GroupResource, KubeObject } from '@apiserver/apimachinery';
import { equalJson } from '@apiserver/apimachinery/json';
import { type Amounts, addAmounts, amountsOf, Quantity } from '@apiserver/apimachinery/values';
import type { FeatureGates } from '@apiserver/apiserver-contracts';
import { equalAmounts, exceeded, listOf, mask, printAmounts, surplus } from './amounts.js';
import { scopesOf } from './check-request.js';
import type { DeviceViews } from './extended-devices.js';
import { QuotaEvaluators } from './quota-evaluators.js';

/** Counts the existing objects for quotas, by the rules of admission. */
export class QuotaRecount {
  readonly #evaluators: QuotaEvaluators;

  constructor(clock: { now(): number }, features: FeatureGates, devices?: DeviceViews) {
    this.#evaluators = new QuotaEvaluators(clock, features, devices);
  }

  /** Reports whether a quota limits what objects of the resource use. */
  concerns({ spec }: ResourceQuota, resource: GroupResource): boolean {
    if (!this.#evaluators.covers(resource)) return false;
    const evaluator = this.#evaluators.of(resource);
    const { hard = {} } = spec;
    if (evaluator.names !== undefined) return evaluator.names.some((name) => Object.hasOwn(hard, name));
    return Object.keys(hard).some((name) => evaluator.counts(name));
  }

  /** The usage of an object as a text, which is the same for the same usage. */
  usageText(resource: GroupResource, object: KubeObject): string {
    return printAmounts(this.#evaluators.of(resource).usage(object));
  }

  /**
   * The usage of the objects of one resource in the quota's scopes, by the names that the quota limits.
   * Upstream: CalculateUsageStats of k8s.io/apiserver/pkg/quota/v1/generic/evaluator.go
   */
  async usage(
    quota: ResourceQuota,
    resource: GroupResource,
    objects: AsyncIterable<KubeObject> | Iterable<KubeObject>,
  ): Promise<Readonly<Record<string, string>>> {
    const evaluator = this.#evaluators.of(resource);
    const scopes = scopesOf(quota);
    const names = Object.keys(quota.spec.hard ?? {}).filter((name) => evaluator.counts(name));
    const used: Amounts = new Map(names.map((name) => [name, Quantity.of(0)]));
    for await (const object of objects) {
      const isInScope = scopes.every((scope) => evaluator.matchesScope(scope, object));
      if (isInScope) addAmounts(used, mask(evaluator.usage(object), used));
    }
    return listOf(used);
  }

  /**
   * The quota with the counted usages of all resources; undefined if it has that already. A usage that was not counted stays
   * as it is. Devices may count for pods and for claims.
   * Upstream: syncResourceQuota of pkg/controller/resourcequota
   */
  recounted(quota: ResourceQuota, ...usages: readonly Readonly<Record<string, string>>[]): ResourceQuota | undefined {
    const counted: Amounts = new Map();
    for (const usage of usages) addAmounts(counted, amountsOf(usage));
    const hard = amountsOf(quota.spec.hard);
    const before = amountsOf(quota.status.used);
    const used = mask(new Map([...before, ...counted]), hard);
    const isCounted = quota.status.hard !== undefined && quota.status.used !== undefined;
    if (isCounted && equalAmounts(hard, amountsOf(quota.status.hard)) && equalAmounts(used, before)) return undefined;
    return { ...quota, status: { hard: { ...quota.spec.hard }, used: listOf(used) } };
  }

  /**
   * A recounted quota with the charges that came after the count of `before` began, for the `current` quota. A charge
   * whose object was counted counts twice, until the next count. Undefined if something else has changed.
   */
  withCharges(recounted: ResourceQuota, before: ResourceQuota, current: ResourceQuota): ResourceQuota | undefined {
    const used = amountsOf(before.status.used);
    const usedNow = amountsOf(current.status.used);
    const isCharged =
      current.metadata.uid === before.metadata.uid &&
      equalJson(current.spec, before.spec) &&
      equalJson(current.status.hard, before.status.hard) &&
      exceeded(used, usedNow).size === 0;
    if (!isCharged) return undefined;
    const counted = amountsOf(recounted.status.used);
    addAmounts(counted, mask(surplus(usedNow, used), counted));
    return { ...current, status: { ...recounted.status, used: listOf(counted) } };
  }

  /** Reports whether the recounted quota has less of something in use than before. */
  isLowered(before: ResourceQuota, { status }: ResourceQuota): boolean {
    return exceeded(amountsOf(before.status.used), amountsOf(status.used)).size > 0;
  }
}
