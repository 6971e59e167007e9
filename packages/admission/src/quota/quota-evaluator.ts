import type { ScopedResourceSelectorRequirement } from '@apiserver/api/core/v1';
import type { GroupResource, KubeObject } from '@apiserver/apimachinery';
import type { Amounts } from '@apiserver/apimachinery/values';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { oneOf } from './amounts.js';

/**
 * Measures the objects of one resource.
 * Upstream: Evaluator of k8s.io/apiserver/pkg/quota/v1/interfaces.go
 */
export interface QuotaEvaluator {
  /** Reports whether a request could change the usage. */
  handles(attributes: AdmissionAttributes): boolean;
  /** The quota resources that `counts` reports; absent if they are not a few. */
  readonly names?: readonly string[];
  /** Reports whether objects of this resource use the named quota resource. */
  counts(name: string): boolean;
  usage(object: KubeObject): Amounts;
  /** Reports whether an object is in a scope. */
  matchesScope(scope: ScopedResourceSelectorRequirement, object: KubeObject): boolean;
  /** Names the values that an object must specify and does not; undefined if none is missing. */
  constraintFault(required: readonly string[], object: KubeObject): string | undefined;
}

/** The quota resource that counts the objects of a resource. Upstream: ObjectCountQuotaResourceNameFor */
function objectCountName({ group, resource }: GroupResource): string {
  return group === '' ? `count/${resource}` : `count/${resource}.${group}`;
}

/**
 * Counts objects only. `aliases` are other names for the same count.
 * Upstream: NewObjectCountEvaluator of k8s.io/apiserver/pkg/quota/v1/generic/evaluator.go
 */
export function objectCountEvaluator(resource: GroupResource, ...aliases: readonly string[]): QuotaEvaluator {
  const names = [objectCountName(resource), ...aliases];
  return {
    handles: ({ operation }) => operation === 'CREATE',
    names,
    counts: (name) => names.includes(name),
    usage: () => oneOf(...names),
    matchesScope: () => false,
    constraintFault: () => undefined,
  };
}
