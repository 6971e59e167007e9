import type { Container, ContainerRestartRule } from '@apiserver/api/core/v1';
import {
  type FieldError,
  type FieldPath,
  fieldForbidden,
  fieldRequired,
  fieldTooMany,
} from '@apiserver/apimachinery/field';
import { validateEnum } from '../../../validation/enum-field.js';
import type { PodSpecRules } from '../pod-spec-rules.js';

const POLICIES = ['Always', 'Never', 'OnFailure'];
const ACTIONS = ['Restart'];
const ALL_ACTIONS = [...ACTIONS, 'RestartAllContainers'];
const OPERATORS = ['In', 'NotIn'];
const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;

/**
 * Validates a container's own restart policy and its rules.
 * Upstream: validateContainerRestartPolicy of pkg/apis/core/validation/validation.go
 */
export function validateContainerRestartPolicy(
  { restartPolicy, restartPolicyRules = [] }: Container,
  rules: PodSpecRules,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const policyPath = path.child('restartPolicy');
  if (!rules.allowRestartRules) {
    return restartPolicy === undefined ? [] : [fieldForbidden(policyPath, 'may not be set for non-init containers')];
  }
  if (restartPolicy !== undefined) errors.push(...validateEnum(restartPolicy, POLICIES, policyPath));
  else if (restartPolicyRules.length > 0) {
    errors.push(fieldRequired(policyPath, 'must specify restartPolicy when restart rules are used'));
  }
  const rulesPath = path.child('restartPolicyRules');
  if (restartPolicyRules.length > MAX_RULES) {
    errors.push(fieldTooMany(rulesPath, restartPolicyRules.length, MAX_RULES));
  }
  const actions = rules.allowRestartOfAll ? ALL_ACTIONS : ACTIONS;
  return [...errors, ...restartPolicyRules.flatMap((rule, i) => validateRule(rule, actions, rulesPath.index(i)))];
}

/**
 * The rules of an init container without its own policy are not validated.
 * Upstream: validateInitContainerRestartPolicy
 */
export function validateInitContainerRestartPolicy(
  container: Container,
  rules: PodSpecRules,
  path: FieldPath,
): FieldError[] {
  const { restartPolicy, restartPolicyRules = [] } = container;
  const policyPath = path.child('restartPolicy');
  if (restartPolicy === undefined) {
    if (restartPolicyRules.length === 0) return [];
    return [fieldRequired(policyPath, 'must specify restartPolicy when restart rules are used')];
  }
  if (!rules.allowRestartRules) return validateEnum(restartPolicy, ['Always'], policyPath);
  if (restartPolicy !== 'Always' || rules.allowRestartOfAll) {
    return validateContainerRestartPolicy(container, rules, path);
  }
  if (restartPolicyRules.length === 0) return [];
  const message = 'restartPolicyRules are not allowed for init containers with restart policy Always';
  return [fieldForbidden(path.child('restartPolicyRules'), message)];
}

function validateRule(
  { action = '', exitCodes }: ContainerRestartRule,
  actions: readonly string[],
  path: FieldPath,
): FieldError[] {
  const errors = validateEnum(action, actions, path.child('action'));
  const codesPath = path.child('exitCodes');
  if (exitCodes === undefined) return [...errors, fieldRequired(codesPath, 'must be specified')];
  const { operator = '', values = [] } = exitCodes;
  errors.push(...validateEnum(operator, OPERATORS, codesPath.child('operator')));
  if (values.length > MAX_EXIT_CODES) {
    errors.push(fieldTooMany(codesPath.child('values'), values.length, MAX_EXIT_CODES));
  }
  return errors;
}
