import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { errorOf, goFileError } from '@apiserver/apimachinery/errors';
import {
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { isDNS1123Subdomain } from '@apiserver/apimachinery/validation';
import type { ExpressionCompiler } from '@apiserver/cel';
import { formatGoDuration } from '@apiserver/component-base/flags';
import { compileConditions } from '../match-conditions/compile-conditions.js';
import { authorizationModes } from '../modes.js';
import type {
  AuthorizationConfiguration,
  AuthorizerConfiguration,
  WebhookConfiguration,
} from './authorization-configuration.js';

const MAX_TIMEOUT_MS = 30_000;
const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const CONDITION_VERSIONS = ['v1'];
const FAILURE_POLICIES = ['NoOpinion', 'Deny'];
const CONNECTION_TYPES = ['InClusterConfig', 'KubeConfigFile'];

/**
 * All errors of a configuration with defaults.
 * Upstream: ValidateAuthorizationConfiguration of k8s.io/apiserver/pkg/apis/apiserver/validation
 */
export function validateConfiguration(
  { authorizers }: AuthorizationConfiguration,
  compiler: ExpressionCompiler,
): readonly FieldError[] {
  const list = FieldPath.of('authorizers');
  if (authorizers.length === 0) return [fieldRequired(list, 'at least one authorization mode must be defined')];
  const seen = { types: new Set<string>(), names: new Set<string>() };
  return authorizers.flatMap((authorizer, i) => {
    const path = list.index(i);
    return (
      typeErrors(authorizer, path, seen.types) ?? [
        ...nameErrors(authorizer.name, path.child('name'), seen.names),
        ...webhookErrors(authorizer, path, compiler),
      ]
    );
  });
}

/** Undefined for a type that may be checked further. */
function typeErrors({ type }: AuthorizerConfiguration, path: FieldPath, seen: Set<string>): FieldError[] | undefined {
  const at = path.child('type');
  if (type === '') return [fieldRequired(at, '')];
  if (!authorizationModes.some((mode) => mode === type)) {
    return [fieldNotSupported(at, type, [...authorizationModes].sort())];
  }
  if (seen.has(type) && type !== 'Webhook') return [fieldDuplicate(at, type)];
  seen.add(type);
  return undefined;
}

function nameErrors(name: string, path: FieldPath, seen: Set<string>): FieldError[] {
  if (name === '') return [fieldRequired(path, '')];
  if (seen.has(name)) return [fieldDuplicate(path, name)];
  seen.add(name);
  const errors = isDNS1123Subdomain(name);
  return errors.length === 0 ? [] : [fieldInvalid(path, name, `authorizer name is invalid: ${errors.join(', ')}`)];
}

function webhookErrors(
  { type, webhook }: AuthorizerConfiguration,
  path: FieldPath,
  compiler: ExpressionCompiler,
): readonly FieldError[] {
  const at = path.child('webhook');
  if (type !== 'Webhook') {
    return webhook === undefined ? [] : [fieldInvalid(at, 'non-null', 'may only be specified when type=Webhook')];
  }
  if (webhook === undefined) return [fieldRequired(at, 'required when type=Webhook')];
  const { matchConditions, subjectAccessReviewVersion, failurePolicy } = webhook;
  // Upstream's paths lack `webhook`.
  return [
    ...timeErrors(webhook, path),
    ...choiceErrors(subjectAccessReviewVersion, path.child('subjectAccessReviewVersion'), REVIEW_VERSIONS),
    ...conditionVersionErrors(webhook, path.child('matchConditionSubjectAccessReviewVersion')),
    ...choiceErrors(failurePolicy, path.child('failurePolicy'), FAILURE_POLICIES),
    ...connectionErrors(webhook, path.child('connectionInfo')),
    ...compileConditions(matchConditions, compiler, path).errors,
  ];
}

function timeErrors({ timeout, authorizedTtl, unauthorizedTtl }: WebhookConfiguration, path: FieldPath): FieldError[] {
  const invalid = (name: string, milliseconds: number, detail: string) =>
    fieldInvalid(path.child(name), formatGoDuration(milliseconds), detail);
  const errors: FieldError[] = [];
  if (timeout === 0) errors.push(fieldRequired(path.child('timeout'), ''));
  else if (timeout < 0 || timeout > MAX_TIMEOUT_MS) errors.push(invalid('timeout', timeout, 'must be > 0s and <= 30s'));
  if (authorizedTtl < 0) errors.push(invalid('authorizedTTL', authorizedTtl, 'must be > 0s'));
  if (unauthorizedTtl < 0) errors.push(invalid('unauthorizedTTL', unauthorizedTtl, 'must be > 0s'));
  return errors;
}

function choiceErrors(value: string, path: FieldPath, choices: readonly string[]): FieldError[] {
  if (value === '') return [fieldRequired(path, '')];
  return choices.includes(value) ? [] : [fieldNotSupported(path, value, choices)];
}

function conditionVersionErrors(webhook: WebhookConfiguration, path: FieldPath): FieldError[] {
  const { matchConditionSubjectAccessReviewVersion: version, matchConditions } = webhook;
  if (version !== '') return choiceErrors(version, path, CONDITION_VERSIONS);
  return matchConditions.length === 0 ? [] : [fieldRequired(path, 'required if match conditions are specified')];
}

function connectionErrors({ connectionInfo }: WebhookConfiguration, path: FieldPath): FieldError[] {
  const { type, kubeConfigFile: file } = connectionInfo;
  const at = path.child('kubeConfigFile');
  switch (type) {
    case '':
      return [fieldRequired(path.child('type'), '')];
    case 'InClusterConfig':
      return file === undefined ? [] : [fieldInvalid(at, file, 'can only be set when type=KubeConfigFile')];
    case 'KubeConfigFile': {
      if (!file) return [fieldRequired(at, '')];
      const fault = fileFault(file);
      return fault === undefined ? [] : [fieldInvalid(at, file, fault)];
    }
    default:
      return [fieldNotSupported(path.child('type'), { Type: type, KubeConfigFile: file ?? null }, CONNECTION_TYPES)];
  }
}

function fileFault(file: string): string | undefined {
  if (!isAbsolute(file)) return 'must be an absolute path';
  try {
    return statSync(file).isFile() ? undefined : 'must be a regular file';
  } catch (error) {
    return `error loading file: ${goFileError('stat', file, errorOf(error))}`;
  }
}
