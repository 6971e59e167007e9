import type { Container, ContainerRestartRule } from '@apiserver/api/core/v1';
import { type FieldError, type FieldPath, fieldRequired, fieldTooMany } from '@apiserver/apimachinery/field';
import { validateEnum } from '../../validation/enum-field.js';

const POLICIES = ['Always', 'Never', 'OnFailure'];
const ACTIONS = ['Restart', 'RestartAllContainers'];
const OPERATORS = ['In', 'NotIn'];
const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;

/**
 * Validates a container's own restart policy and its rules.
 * Upstream: validateContainerRestartPolicy of pkg/apis/core/validation/validation.go
 */
export function validateContainerRestartPolicy(container: Container, path: FieldPath): FieldError[] {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  const errors: FieldError[] = [];
  const policyPath = path.child('restartPolicy');
  if (restartPolicy !== undefined) errors.push(...validateEnum(restartPolicy, POLICIES, policyPath));
  else if (rules.length > 0) {
    errors.push(fieldRequired(policyPath, 'must specify restartPolicy when restart rules are used'));
  }
  const rulesPath = path.child('restartPolicyRules');
  if (rules.length > MAX_RULES) errors.push(fieldTooMany(rulesPath, rules.length, MAX_RULES));
  return [...errors, ...rules.flatMap((rule, i) => validateRule(rule, rulesPath.index(i)))];
}

/**
 * The rules of an init container without its own policy are not validated.
 * Upstream: validateInitContainerRestartPolicy
 */
export function validateInitContainerRestartPolicy(container: Container, path: FieldPath): FieldError[] {
  if (container.restartPolicy !== undefined) return validateContainerRestartPolicy(container, path);
  if ((container.restartPolicyRules ?? []).length === 0) return [];
  return [fieldRequired(path.child('restartPolicy'), 'must specify restartPolicy when restart rules are used')];
}

function validateRule({ action = '', exitCodes }: ContainerRestartRule, path: FieldPath): FieldError[] {
  const errors = validateEnum(action, ACTIONS, path.child('action'));
  const codesPath = path.child('exitCodes');
  if (exitCodes === undefined) return [...errors, fieldRequired(codesPath, 'must be specified')];
  const { operator = '', values = [] } = exitCodes;
  errors.push(...validateEnum(operator, OPERATORS, codesPath.child('operator')));
  if (values.length > MAX_EXIT_CODES) {
    errors.push(fieldTooMany(codesPath.child('values'), values.length, MAX_EXIT_CODES));
  }
  return errors;
}
