import type {
  MatchCondition,
  MatchResources,
  ParamKind,
  ParamRef,
  Variable,
} from '@apiserver/api/admissionregistration/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { MatchCriteria } from '../../matching/match-criteria.js';
import type { ParameterKind } from './parameter-kinds.js';

/** The fields that policies of both kinds have. */
export interface AnyPolicy extends KubeObject {
  readonly spec: {
    readonly paramKind?: ParamKind;
    readonly matchConstraints?: MatchResources;
    readonly failurePolicy?: string;
    readonly matchConditions?: readonly MatchCondition[];
    readonly variables?: readonly Variable[];
  };
}

/** The fields that bindings of both kinds have. */
export interface AnyBinding extends KubeObject {
  readonly spec: {
    readonly policyName?: string;
    readonly paramRef?: ParamRef;
    readonly matchResources?: MatchResources;
  };
}

/** Match fields that are wrong. */
export interface CriteriaFault {
  readonly fault: string;
}

/** A binding of a policy; without criteria it selects what the policy does. */
export interface HookBinding<B extends AnyBinding> {
  readonly binding: B;
  readonly name: string;
  readonly criteria: MatchCriteria | CriteriaFault | undefined;
}

/**
 * A policy with its bindings. Policies without a binding have no hook.
 * Upstream: PolicyHook of k8s.io/apiserver/pkg/admission/plugin/policy/generic
 */
export interface PolicyHook<P extends AnyPolicy, B extends AnyBinding, E> {
  readonly policy: P;
  readonly name: string;
  readonly criteria: MatchCriteria | CriteriaFault;
  readonly bindings: readonly HookBinding<B>[];
  /** Undefined for a policy without parameters. */
  readonly parameters: ParameterKind | undefined;
  /** Compiles the policy on the first call. A promise only until it is compiled. */
  evaluator(): E | Promise<E>;
}

/** The criteria of a policy. Upstream: DefinitionMatches of k8s.io/apiserver/pkg/admission/plugin/policy/generic */
function policyCriteria(constraints: MatchResources | undefined): MatchCriteria | CriteriaFault {
  return constraints === undefined
    ? { fault: 'policy contained no match constraints, a required field' }
    : criteriaOf(constraints);
}

/** The criteria of a binding; undefined if it has none. */
function bindingCriteria(resources: MatchResources | undefined): MatchCriteria | CriteriaFault | undefined {
  return resources && criteriaOf(resources);
}

function criteriaOf(resources: MatchResources): MatchCriteria | CriteriaFault {
  const { namespaceSelector, objectSelector, matchPolicy, resourceRules = [], excludeResourceRules = [] } = resources;
  if (namespaceSelector === undefined) return nilSelector('namespace');
  if (objectSelector === undefined) return nilSelector('object');
  return new MatchCriteria({
    namespaceSelector,
    objectSelector,
    ...(matchPolicy === undefined ? {} : { matchPolicy }),
    resourceRules,
    excludeResourceRules,
    selectsAllWithoutRules: true,
  });
}

function nilSelector(name: string): CriteriaFault {
  return { fault: `a nil ${name} selector was passed, please ensure selectors are initialized properly` };
}

/** Members of a hook that do not come from its policy and bindings. */
export interface HookDependencies<E> {
  readonly parameters: ParameterKind | undefined;
  evaluator(): E | Promise<E>;
}

/** The hook of a policy with its bindings, which are in the order of their names. */
export function policyHook<P extends AnyPolicy, B extends AnyBinding, E>(
  policy: P,
  bindings: readonly B[],
  { parameters, evaluator }: HookDependencies<E>,
): PolicyHook<P, B, E> {
  return {
    policy,
    name: policy.metadata.name ?? '',
    criteria: policyCriteria(policy.spec.matchConstraints),
    bindings: bindings.map((binding) => ({
      binding,
      name: binding.metadata.name ?? '',
      criteria: bindingCriteria(binding.spec.matchResources),
    })),
    parameters,
    evaluator,
  };
}
