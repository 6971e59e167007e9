import type {
  Affinity,
  NodeAffinity,
  PodAffinity,
  PodAffinityTerm,
  TopologySpreadConstraint,
} from '@apiserver/api/core/v1';
import {
  type FieldError,
  type FieldPath,
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { validateLabelName, validateLabelSelector, validateNamespaceName } from '@apiserver/apimachinery/validation';
import { validateEnum } from '../../validation/enum-field.js';
import { validateNodeSelector, validateNodeSelectorTerm } from '../validation/node-selector.js';
import { validateMatchLabelKeys, validateSpreadLabelKeysLoosely } from './match-label-keys.js';
import type { PodSpecRules } from './pod-spec-rules.js';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Upstream: validateAffinity of pkg/apis/core/validation/validation.go */
export function validateAffinity(affinity: Affinity | undefined, rules: PodSpecRules, path: FieldPath): FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity ?? {};
  return [
    ...(nodeAffinity === undefined ? [] : validateNodeAffinity(nodeAffinity, rules, path.child('nodeAffinity'))),
    ...(podAffinity === undefined ? [] : validatePodAffinity(podAffinity, rules, path.child('podAffinity'))),
    ...(podAntiAffinity === undefined
      ? []
      : validatePodAffinity(podAntiAffinity, rules, path.child('podAntiAffinity'))),
  ];
}

function validateNodeAffinity(affinity: NodeAffinity, rules: PodSpecRules, path: FieldPath): FieldError[] {
  const required = affinity[REQUIRED];
  const nodeRules = { allowInvalidLabelValue: rules.allowInvalidLabelValueInRequiredNodeAffinity };
  return [
    ...(required === undefined ? [] : validateNodeSelector(required, nodeRules, path.child(REQUIRED))),
    ...(affinity[PREFERRED] ?? []).flatMap(({ weight, preference }, i) => {
      const place = path.child(PREFERRED).index(i);
      // A preference that cannot match is harmless.
      const loose = { allowInvalidLabelValue: true };
      return [
        ...validateWeight(weight, place.child('weight')),
        ...validateNodeSelectorTerm(preference, loose, place.child('preference')),
      ];
    }),
  ];
}

function validatePodAffinity(affinity: PodAffinity, rules: PodSpecRules, path: FieldPath): FieldError[] {
  return [
    ...(affinity[REQUIRED] ?? []).flatMap((term, i) => validateTerm(term, rules, path.child(REQUIRED).index(i))),
    ...(affinity[PREFERRED] ?? []).flatMap(({ weight, podAffinityTerm }, i) => {
      const place = path.child(PREFERRED).index(i);
      return [
        ...validateWeight(weight, place.child('weight')),
        ...validateTerm(podAffinityTerm, rules, place.child('podAffinityTerm')),
      ];
    }),
  ];
}

function validateWeight(weight: number, path: FieldPath): FieldError[] {
  return weight > 0 && weight <= 100 ? [] : [fieldInvalid(path, weight, 'must be in the range 1-100')];
}

/** Upstream: validatePodAffinityTerm */
function validateTerm(term: PodAffinityTerm, rules: PodSpecRules, path: FieldPath): FieldError[] {
  const { allowInvalidLabelValueInSelector } = rules;
  const keyPath = path.child('topologyKey');
  return [
    ...validateLabelSelector(term.labelSelector, { allowInvalidLabelValueInSelector }, path.child('labelSelector')),
    ...validateLabelSelector(
      term.namespaceSelector,
      { allowInvalidLabelValueInSelector },
      path.child('namespaceSelector'),
    ),
    ...(term.namespaces ?? []).flatMap((name) =>
      validateNamespaceName(name).map((fault) => fieldInvalid(path.child('namespace'), name, fault)),
    ),
    ...validateMatchLabelKeys(term, path),
    ...(term.topologyKey ? [] : [fieldRequired(keyPath, 'can not be empty')]),
    ...validateLabelName(term.topologyKey, keyPath),
  ];
}

const UNSATISFIABLE_ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const NODE_INCLUSION_POLICIES = ['Honor', 'Ignore'];
const NOT_POSITIVE = 'must be greater than zero';

/** Upstream: validateTopologySpreadConstraints */
export function validateTopologySpread(
  constraints: readonly TopologySpreadConstraint[],
  rules: PodSpecRules,
  path: FieldPath,
): FieldError[] {
  const lastIndexes = new Map(constraints.map((constraint, i) => [spreadIdentity(constraint), i]));
  return constraints.flatMap((constraint, i) => [
    ...validateSpread(constraint, path.index(i)),
    ...(lastIndexes.get(spreadIdentity(constraint)) === i ? [] : [repeatedSpread(constraint, path.index(i))]),
    ...validateMinDomains(constraint, path.index(i).child('minDomains')),
    ...(['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const).flatMap((field) => {
      const policy = constraint[field];
      return policy === undefined ? [] : validateEnum(policy, NODE_INCLUSION_POLICIES, path.index(i).child(field));
    }),
    ...(rules.looseSpreadLabelKeys
      ? validateSpreadLabelKeysLoosely(constraint, path.index(i).child('matchLabelKeys'))
      : validateMatchLabelKeys(withoutMismatch(constraint), path.index(i))),
    ...(rules.allowInvalidSpreadSelector
      ? []
      : validateLabelSelector(constraint.labelSelector, {}, path.index(i).child('labelSelector'))),
  ]);
}

function withoutMismatch({ labelSelector, matchLabelKeys }: TopologySpreadConstraint) {
  return {
    ...(labelSelector === undefined ? undefined : { labelSelector }),
    ...(matchLabelKeys === undefined ? undefined : { matchLabelKeys }),
  };
}

function validateSpread(constraint: TopologySpreadConstraint, path: FieldPath): FieldError[] {
  const { maxSkew, topologyKey, whenUnsatisfiable } = constraint;
  return [
    ...(maxSkew > 0 ? [] : [fieldInvalid(path.child('maxSkew'), maxSkew, NOT_POSITIVE)]),
    ...(topologyKey ? [] : [fieldRequired(path.child('topologyKey'), 'can not be empty')]),
    ...validateEnum(whenUnsatisfiable, UNSATISFIABLE_ACTIONS, path.child('whenUnsatisfiable')),
  ];
}

/** A constraint is identified by topology key and action. */
function spreadIdentity({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): string {
  return JSON.stringify([topologyKey, whenUnsatisfiable]);
}

function repeatedSpread({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint, path: FieldPath): FieldError {
  return fieldDuplicate(path.child('{topologyKey, whenUnsatisfiable}'), `{${topologyKey}, ${whenUnsatisfiable}}`);
}

function validateMinDomains(constraint: TopologySpreadConstraint, path: FieldPath): FieldError[] {
  const { minDomains, whenUnsatisfiable } = constraint;
  if (minDomains === undefined) return [];
  const errors = minDomains > 0 ? [] : [fieldInvalid(path, minDomains, NOT_POSITIVE)];
  if (whenUnsatisfiable === 'DoNotSchedule') return errors;
  const message = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
  return [...errors, fieldInvalid(path, minDomains, message)];
}
