import type { ResourceQuota, ScopedResourceSelectorRequirement } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { newAdmissionForbidden } from '../forbidden.js';
import { type Amounts, addAmounts, amountsOf } from '../pods/pod-resources.js';
import { exceeded, mask, nonZero, printAmounts, surplus } from './amounts.js';
import type { QuotaEvaluator } from './quota-evaluator.js';

/** A quota with its current usage: the stored one, and that of the requests admitted since. */
export interface RunningQuota {
  readonly quota: ResourceQuota;
  readonly hard: Amounts;
  readonly used: Amounts;
}

export function runningQuota(quota: ResourceQuota): RunningQuota {
  return { quota, hard: amountsOf(quota.status?.hard), used: amountsOf(quota.status?.used) };
}

/**
 * The quotas' usage including a request. Throws 403 if the request exceeds one of them, or if one is not yet counted.
 * Upstream: CheckRequest of k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go
 */
export function checkRequest(
  quotas: readonly RunningQuota[],
  attributes: AdmissionAttributes,
  evaluator: QuotaEvaluator,
): readonly RunningQuota[] {
  const { object } = attributes;
  if (object === undefined) return quotas;
  const concerned = quotas.filter((running) => concerns(running, attributes, evaluator, object));
  if (concerned.length === 0) return quotas;
  const usage = evaluator.usage(object);
  const negative = [...usage].filter(([, amount]) => amount.sign < 0).map(([name]) => name);
  if (negative.length > 0) {
    const names = negative.sort().join(',');
    throw newAdmissionForbidden(attributes, `quota usage is negative for resource(s): ${names}`);
  }
  return quotas.map((running) => {
    if (!concerned.includes(running)) return running;
    return charged(running, attributes, nonZero(chargeFor(running, attributes, evaluator, usage)));
  });
}

function concerns(
  { quota, hard, used }: RunningQuota,
  attributes: AdmissionAttributes,
  evaluator: QuotaEvaluator,
  object: KubeObject,
): boolean {
  if (!matches(quota, hard, evaluator, object)) return false;
  const { name = '' } = quota.metadata;
  const counted = [...hard.keys()].filter((resource) => evaluator.counts(resource)).sort();
  const fault = evaluator.constraintFault(counted, object);
  if (fault !== undefined) throw newAdmissionForbidden(attributes, `failed quota: ${name}: ${fault}`);
  if (counted.every((resource) => used.has(resource))) return true;
  // Nothing is admitted before a controller has counted the existing objects.
  throw newAdmissionForbidden(attributes, `status unknown for quota: ${name}, resources: ${counted.join(',')}`);
}

function matches(quota: ResourceQuota, hard: Amounts, evaluator: QuotaEvaluator, object: KubeObject): boolean {
  if (![...hard.keys()].some((resource) => evaluator.counts(resource))) return false;
  return scopesOf(quota).every((scope) => evaluator.matchesScope(scope, object));
}

/** Upstream: getScopeSelectorsFromQuota */
function scopesOf({ spec }: ResourceQuota): ScopedResourceSelectorRequirement[] {
  const named = (spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return [...named, ...(spec.scopeSelector?.matchExpressions ?? [])];
}

/** An update is charged for its increase if the object already counted for this quota. */
function chargeFor(
  { quota, hard }: RunningQuota,
  { operation, oldObject }: AdmissionAttributes,
  evaluator: QuotaEvaluator,
  usage: Amounts,
): Amounts {
  if (operation !== 'UPDATE' || !oldObject?.metadata.resourceVersion) return usage;
  return matches(quota, hard, evaluator, oldObject) ? surplus(usage, evaluator.usage(oldObject)) : usage;
}

function charged(running: RunningQuota, attributes: AdmissionAttributes, charge: Amounts): RunningQuota {
  const { quota, hard, used } = running;
  const requested = mask(charge, hard);
  if (requested.size === 0) return running;
  const total: Amounts = new Map(used);
  addAmounts(total, requested);
  const over = exceeded(mask(total, requested), hard);
  // A status update reports usage that already exists.
  if (over.size === 0 || attributes.subresource === 'status') return { ...running, used: total };
  const dependencies = { requested: mask(requested, over), used: mask(used, over), limited: mask(hard, over) };
  const amounts = Object.entries(dependencies).map(([what, part]) => `${what}: ${printAmounts(part)}`);
  throw newAdmissionForbidden(attributes, `exceeded quota: ${quota.metadata.name}, ${amounts.join(', ')}`);
}
