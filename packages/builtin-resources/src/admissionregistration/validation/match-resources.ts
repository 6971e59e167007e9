import type { MatchResources, NamedRuleWithOperations } from '@apiserver/api/admissionregistration/v1';
import type { LabelSelector } from '@apiserver/api/meta/v1';
import {
  type FieldError,
  type FieldPath,
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { validateLabelSelector, validatePathSegmentName } from '@apiserver/apimachinery/validation';
import { validateEnum } from '../../validation/enum-field.js';
import { MATCH_POLICIES, validateRequiredChoice } from './choices.js';
import { validateRule } from './rules.js';

/** A mutation cannot change a deletion. Upstream: supportedMutatingOperations */
const MUTATING_OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

/** Upstream: validateMatchResources of pkg/apis/admissionregistration/validation/validation.go */
export function validateMatchResources(resources: MatchResources, path: FieldPath): FieldError[] {
  const { matchPolicy, namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = resources;
  return [
    ...validateRequiredChoice(matchPolicy, MATCH_POLICIES, path.child('matchPolicy')),
    ...validateSelector(namespaceSelector, path.child('namespaceSelector')),
    ...validateSelector(objectSelector, path.child('objectSelector')),
    ...resourceRules.flatMap((rule, i) => validateNamedRule(rule, path.child('resourceRules').index(i))),
    ...excludeResourceRules.flatMap((rule, i) => validateNamedRule(rule, path.child('excludeResourceRules').index(i))),
  ];
}

/** The resources of a policy: at least one rule, which tells the types of its expressions. */
export function validateMatchConstraints(constraints: MatchResources | undefined, path: FieldPath): FieldError[] {
  if (constraints === undefined) return [fieldRequired(path, '')];
  const hasRules = (constraints.resourceRules ?? []).length > 0;
  return [
    ...validateMatchResources(constraints, path),
    ...(hasRules ? [] : [fieldRequired(path.child('resourceRules'), '')]),
  ];
}

/** The path has no indexes, as upstream. */
export function validateMutatingOperations(resources: MatchResources | undefined, path: FieldPath): FieldError[] {
  const at = path.child('resourceRules').child('operations');
  return (resources?.resourceRules ?? []).flatMap(({ operations = [] }) =>
    operations.flatMap((operation) => validateEnum(operation, MUTATING_OPERATIONS, at)),
  );
}

function validateSelector(selector: LabelSelector | undefined, path: FieldPath): FieldError[] {
  return selector === undefined ? [fieldRequired(path, '')] : validateLabelSelector(selector, {}, path);
}

function validateNamedRule(rule: NamedRuleWithOperations, path: FieldPath): FieldError[] {
  const names = path.child('resourceNames');
  const known = new Set<string>();
  const errors = (rule.resourceNames ?? []).flatMap((name, i) => {
    const at = names.index(i);
    const faults = validatePathSegmentName(name).map((fault) => fieldInvalid(at, name, fault));
    const isDuplicate = known.has(name);
    known.add(name);
    return isDuplicate ? [...faults, fieldDuplicate(at, name)] : faults;
  });
  return [...errors, ...validateRule(rule, path)];
}
