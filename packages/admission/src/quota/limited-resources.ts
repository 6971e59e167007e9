import type { ScopedResourceSelectorRequirement } from '@apiserver/api/core/v1';
import type { GroupResource, KubeObject } from '@apiserver/apimachinery';
import type { Amounts } from '@apiserver/apimachinery/values';
import type { QuotaEvaluator } from './quota-evaluator.js';

/**
 * A resource whose use requires a quota that covers it.
 * Upstream: LimitedResource of k8s.io/apiserver/pkg/admission/plugin/resourcequota/apis/resourcequota/types.go
 */
export interface LimitedResource {
  readonly apiGroup?: string;
  readonly resource: string;
  /** Parts of names of quota resources; a used resource with one of them needs a quota. */
  readonly matchContains?: readonly string[];
  /** Scopes; an object in one of them needs a quota with a scope of that name. */
  readonly matchScopes?: readonly ScopedResourceSelectorRequirement[];
}

/** The used quota resources that need a quota. Upstream: limitedByDefault */
export function limitedNames(limited: readonly LimitedResource[], resource: GroupResource, usage: Amounts): string[] {
  const parts = limited
    .filter(({ apiGroup = '', resource: name }) => apiGroup === resource.group && name === resource.resource)
    .flatMap(({ matchContains = [] }) => matchContains);
  return [...usage]
    .filter(([name, amount]) => amount.sign > 0 && parts.some((part) => name.includes(part)))
    .map(([name]) => name);
}

/**
 * The scopes of an object that need a quota, of all entries whatever their resource. Upstream: getMatchedLimitedScopes
 */
export function limitedScopes(
  limited: readonly LimitedResource[],
  evaluator: QuotaEvaluator,
  object: KubeObject,
): readonly ScopedResourceSelectorRequirement[] {
  const scopes = limited.flatMap(({ matchScopes = [] }) => matchScopes);
  return scopes.filter((scope) => evaluator.matchesScope(scope, object));
}

/** Scopes as Go prints them: `[{PriorityClass In [a b]}]`. */
export function formatScopes(scopes: readonly ScopedResourceSelectorRequirement[]): string {
  const texts = scopes.map(
    ({ scopeName, operator, values }) => `{${scopeName} ${operator} [${(values ?? []).join(' ')}]}`,
  );
  return `[${texts.join(' ')}]`;
}
