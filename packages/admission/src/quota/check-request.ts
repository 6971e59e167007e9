import type { ResourceQuota, ScopedResourceSelectorRequirement } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { plainFailure } from '@apiserver/apimachinery/errors';
import { type Amounts, addAmounts, amountsOf } from '@apiserver/apimachinery/values';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { newAdmissionForbidden } from '../forbidden.js';
import { exceeded, mask, nonZero, printAmounts, surplus } from './amounts.js';
import { formatScopes, type LimitedResource, limitedNames, limitedScopes } from './limited-resources.js';
import type { QuotaEvaluator } from './quota-evaluator.js';

/** A quota with its current usage: the stored one, and that of the requests admitted since. */
export interface RunningQuota {
  readonly quota: ResourceQuota;
  readonly hard: Amounts;
  readonly used: Amounts;
}

/** A quota at the start of a check, with its bounds and its recorded usage. */
export function runningQuota(quota: ResourceQuota): RunningQuota {
  return { quota, hard: amountsOf(quota.status?.hard), used: amountsOf(quota.status?.used) };
}

/** The parts of a check that do not differ from request to request. */
export interface QuotaRules {
  readonly evaluator: QuotaEvaluator;
  readonly limited: readonly LimitedResource[];
}

/**
 * The quotas' usage including a request, in steps for `inSlices`. Throws 403 if the request exceeds one of them, if one
 * is not yet counted, or if no quota covers a limited resource.
 * Upstream: CheckRequest of k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go
 */
export function* checkRequest(
  quotas: readonly RunningQuota[],
  attributes: AdmissionAttributes,
  { evaluator, limited }: QuotaRules,
): Generator<void, readonly RunningQuota[]> {
  const { object } = attributes;
  if (object === undefined) return quotas;
  const concerned: RunningQuota[] = [];
  for (const running of quotas) {
    yield;
    if (concerns(running, attributes, evaluator, object)) concerned.push(running);
  }
  yield;
  const usage = evaluator.usage(object);
  yield;
  refuseNegative(attributes, usage);
  const charges = new Map<RunningQuota, Amounts>();
  for (const running of concerned) {
    charges.set(running, chargeFor(running, attributes, evaluator, usage));
    yield;
  }
  const increases = concerned.length > 0 ? [...charges.values()] : [increaseOf(attributes, evaluator, usage)];
  if (increases.every((increase) => increase.size === 0)) return quotas;
  const names = limitedNames(limited, attributes.resource, usage);
  refuseUncovered(attributes, names, namesCountedBy(concerned, evaluator));
  refuseUncoveredScopes(limitedScopes(limited, evaluator, object), scopesMatchedBy(quotas, evaluator, object));
  const after: RunningQuota[] = [];
  for (const running of quotas) {
    yield;
    const charge = charges.get(running);
    after.push(charge === undefined ? running : charged(running, attributes, charge));
  }
  return after;
}

function refuseNegative(attributes: AdmissionAttributes, usage: Amounts): void {
  const negative = [...usage].filter(([, amount]) => amount.sign < 0).map(([name]) => name);
  if (negative.length === 0) return;
  const names = negative.sort().join(',');
  throw newAdmissionForbidden(attributes, `quota usage is negative for resource(s): ${names}`);
}

/** Throws 403 if a limited resource has no quota. */
function refuseUncovered(
  attributes: AdmissionAttributes,
  names: readonly string[],
  covered: ReadonlySet<string>,
): void {
  const uncovered = names.filter((name) => !covered.has(name)).sort();
  if (uncovered.length === 0) return;
  throw newAdmissionForbidden(attributes, `insufficient quota to consume: ${uncovered.join(',')}`);
}

/** Throws a 500, as upstream, if a limited scope has no quota. */
function refuseUncoveredScopes(
  scopes: readonly ScopedResourceSelectorRequirement[],
  covered: ReadonlySet<string>,
): void {
  const uncovered = scopes.filter(({ scopeName }) => !covered.has(scopeName));
  if (uncovered.length === 0) return;
  throw plainFailure(500, `insufficient quota to match these scopes: ${formatScopes(uncovered)}`);
}

function namesCountedBy(quotas: readonly RunningQuota[], evaluator: QuotaEvaluator): ReadonlySet<string> {
  return new Set(quotas.flatMap(({ hard }) => [...hard.keys()].filter((name) => evaluator.counts(name))));
}

/** The names of the scopes that the object is in, of all quotas, even of those with further scopes. */
function scopesMatchedBy(
  quotas: readonly RunningQuota[],
  evaluator: QuotaEvaluator,
  object: KubeObject,
): ReadonlySet<string> {
  const scopes = quotas.flatMap(({ quota }) => scopesOf(quota));
  return new Set(scopes.filter((scope) => evaluator.matchesScope(scope, object)).map(({ scopeName }) => scopeName));
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

/** All scopes of a quota, each once. Upstream: getScopeSelectorsFromQuota */
export function scopesOf({ spec }: ResourceQuota): ScopedResourceSelectorRequirement[] {
  const named = (spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' }));
  const all: ScopedResourceSelectorRequirement[] = [...named, ...(spec.scopeSelector?.matchExpressions ?? [])];
  const byText = new Map(all.map((scope) => [JSON.stringify([scope.scopeName, scope.operator, scope.values]), scope]));
  return [...byText.values()];
}

/** An update is charged for its increase if the object already counted for this quota. Without zeros. */
function chargeFor(
  { quota, hard }: RunningQuota,
  attributes: AdmissionAttributes,
  evaluator: QuotaEvaluator,
  usage: Amounts,
): Amounts {
  const { oldObject } = attributes;
  const counted = oldObject !== undefined && matches(quota, hard, evaluator, oldObject);
  return counted ? increaseOf(attributes, evaluator, usage) : nonZero(usage);
}

/** The usage that an update adds to that of the stored object; the whole usage of a new object. Without zeros. */
function increaseOf({ operation, oldObject }: AdmissionAttributes, evaluator: QuotaEvaluator, usage: Amounts): Amounts {
  if (operation !== 'UPDATE' || !oldObject?.metadata.resourceVersion) return nonZero(usage);
  return nonZero(surplus(usage, evaluator.usage(oldObject)));
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
