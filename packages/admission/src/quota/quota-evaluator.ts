import type { ScopedResourceSelectorRequirement } from '@apiserver/api/core/v1';
import type { GroupResource, KubeObject } from '@apiserver/apimachinery';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import type { Amounts } from '../pods/pod-resources.js';
import { oneOf } from './amounts.js';

/**
 * Measures the objects of one resource.
 * Upstream: Evaluator of k8s.io/apiserver/pkg/quota/v1/interfaces.go
 */
export interface QuotaEvaluator {
  /** Whether a request could change what is used. */
  handles(attributes: AdmissionAttributes): boolean;
  /** Whether objects of this resource use the resource of that name. */
  counts(name: string): boolean;
  usage(object: KubeObject): Amounts;
  /** Whether an object is in a scope. */
  matchesScope(scope: ScopedResourceSelectorRequirement, object: KubeObject): boolean;
  /** What an object has to say to be counted, and does not; undefined when nothing is missing. */
  constraintFault(required: readonly string[], object: KubeObject): string | undefined;
}

/** The name under which the objects of a resource are counted. Upstream: ObjectCountQuotaResourceNameFor */
export function objectCountName({ group, resource }: GroupResource): string {
  return group === '' ? `count/${resource}` : `count/${resource}.${group}`;
}

/**
 * Counts objects, and nothing of what is in them. `aliases` are other names for the same count.
 * Upstream: NewObjectCountEvaluator of k8s.io/apiserver/pkg/quota/v1/generic/evaluator.go
 */
export function objectCountEvaluator(resource: GroupResource, ...aliases: readonly string[]): QuotaEvaluator {
  const names = [objectCountName(resource), ...aliases];
  return {
    handles: ({ operation }) => operation === 'CREATE',
    counts: (name) => names.includes(name),
    usage: () => oneOf(...names),
    matchesScope: () => false,
    constraintFault: () => undefined,
  };
}
