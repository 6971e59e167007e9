import type { ResourceQuota, ScopedResourceSelectorRequirement } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { newAdmissionForbidden } from '../forbidden.js';
import { type Amounts, addAmounts, amountsOf } from '../pods/pod-resources.js';
import { exceeded, mask, nonZero, printAmounts, surplus } from './amounts.js';
import type { QuotaEvaluator } from './quota-evaluator.js';

/** A quota with what is used of it so far: as stored, and with the requests that were let through since. */
export interface RunningQuota {
  readonly quota: ResourceQuota;
  readonly hard: Amounts;
  readonly used: Amounts;
}

export function runningQuota(quota: ResourceQuota): RunningQuota {
  return { quota, hard: amountsOf(quota.status?.hard), used: amountsOf(quota.status?.used) };
}

/**
 * What the quotas come to when a request is let through. Throws 403 when it does not fit into all of them, or when one
 * of them cannot tell.
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
  // Nothing is let through before a controller has counted what is there.
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

/** An update is charged for what it adds, where the object counted for this quota before. */
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
  // A status tells what is so already.
  if (over.size === 0 || attributes.subresource === 'status') return { ...running, used: total };
  const parts = { requested: mask(requested, over), used: mask(used, over), limited: mask(hard, over) };
  const amounts = Object.entries(parts).map(([what, part]) => `${what}: ${printAmounts(part)}`);
  throw newAdmissionForbidden(attributes, `exceeded quota: ${quota.metadata.name}, ${amounts.join(', ')}`);
}
