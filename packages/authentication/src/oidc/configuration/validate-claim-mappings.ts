import {
  type FieldError,
  type FieldPath,
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { validateDomainPrefixedPath } from '@apiserver/apimachinery/validation';
import type { CompiledExpression } from '../expressions/expression-compiler.js';
import { readsClaim } from '../expressions/reads-claim.js';
import type {
  ClaimMappings,
  ClaimOrExpression,
  ExtraMapping,
  PrefixedClaimOrExpression,
} from './authentication-configuration.js';
import { compileAt, type ValidationState } from './validate-rules.js';

const BOTH_SET = "claim and expression can't both be set";

/** The compiled expressions of mappings; undefined where there is none. */
export interface CompiledMappings {
  readonly username: CompiledExpression | undefined;
  readonly groups: CompiledExpression | undefined;
  readonly uid: CompiledExpression | undefined;
  readonly extra: readonly { readonly key: string; readonly expression: CompiledExpression }[];
}

/** Mappings with their faults. */
export interface ValidatedMappings {
  readonly compiled: CompiledMappings;
  readonly errors: readonly FieldError[];
}

/** Upstream: validateClaimMappings of k8s.io/apiserver/pkg/apis/apiserver/validation */
export function validateClaimMappings(
  { username = {}, groups = {}, uid = {}, extra }: ClaimMappings,
  path: FieldPath,
  state: ValidationState,
): ValidatedMappings {
  const errors: FieldError[] = [];
  const name = validatePrefixed(username, path.child('username'), { state, errors, isRequired: true });
  if (name !== undefined) {
    state.readsEmail ||= readsClaim(name.root, 'email');
    state.readsEmailVerified ||= readsClaim(name.root, 'email_verified');
  }
  const compiled = {
    username: name,
    groups: validatePrefixed(groups, path.child('groups'), { state, errors, isRequired: false }),
    uid: validateUid(uid, path.child('uid'), { state, errors }),
    extra: validateExtra(extra ?? [], path.child('extra'), { state, errors }),
  };
  state.readsEmailVerified ||= compiled.extra.some(({ expression }) => readsClaim(expression.root, 'email_verified'));
  if (state.readsEmail && !state.readsEmailVerified) {
    const detail =
      'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression';
    errors.push(fieldInvalid(path.child('username').child('expression'), username.expression ?? '', detail));
  }
  return { compiled, errors };
}

interface Collecting {
  readonly state: ValidationState;
  readonly errors: FieldError[];
}

function compiledClaims(expression: string, at: FieldPath, { state, errors }: Collecting) {
  const result = compileAt(state.compiler, at, { expression, variable: 'claims', isCondition: false });
  if ('text' in result) return result;
  errors.push(result);
  return undefined;
}

/** Upstream: validatePrefixClaimOrExpression of k8s.io/apiserver/pkg/apis/apiserver/validation */
function validatePrefixed(
  { claim = '', prefix, expression = '' }: PrefixedClaimOrExpression,
  path: FieldPath,
  collecting: Collecting & { readonly isRequired: boolean },
): CompiledExpression | undefined {
  const { errors, isRequired } = collecting;
  const hasPrefix = prefix !== undefined && prefix !== null;
  if (expression !== '' && claim !== '') {
    errors.push(fieldInvalid(path, '', BOTH_SET));
    return undefined;
  }
  if (expression === '' && claim === '') {
    if (isRequired) errors.push(fieldRequired(path, 'claim or expression is required'));
    return undefined;
  }
  if (claim !== '') {
    const detail = 'prefix is required when claim is set. It can be set to an empty string to disable prefixing';
    if (!hasPrefix) errors.push(fieldRequired(path.child('prefix'), detail));
    return undefined;
  }
  if (hasPrefix) {
    errors.push(fieldInvalid(path.child('prefix'), prefix, 'may not be specified when expression is set'));
  }
  const compiled = compiledClaims(expression, path.child('expression'), collecting);
  // Upstream drops the expression then: it is not looked for claims.email.
  return hasPrefix ? undefined : compiled;
}

function validateUid(
  { claim = '', expression = '' }: ClaimOrExpression,
  path: FieldPath,
  collecting: Collecting,
): CompiledExpression | undefined {
  if (expression === '') return undefined;
  if (claim === '') return compiledClaims(expression, path.child('expression'), collecting);
  collecting.errors.push(fieldInvalid(path, '', BOTH_SET));
  return undefined;
}

function validateExtra(
  mappings: readonly ExtraMapping[],
  path: FieldPath,
  collecting: Collecting,
): CompiledMappings['extra'] {
  const { errors } = collecting;
  const seen = new Set<string>();
  return mappings.flatMap(({ key = '', valueExpression = '' }, index) => {
    const at = path.index(index);
    errors.push(...validateKey(key, at.child('key')));
    if (seen.has(key)) {
      errors.push(fieldDuplicate(at.child('key'), key));
      return [];
    }
    seen.add(key);
    if (valueExpression === '') {
      errors.push(fieldRequired(at.child('valueExpression'), ''));
      return [];
    }
    const expression = compiledClaims(valueExpression, at.child('valueExpression'), collecting);
    return expression === undefined ? [] : [{ key, expression }];
  });
}

function validateKey(key: string, path: FieldPath): FieldError[] {
  const errors = validateDomainPrefixedPath(key, path);
  if (key !== key.toLowerCase()) errors.push(fieldInvalid(path, key, 'must be lowercase'));
  if (/^(?:[^/]*\.)?(?:kubernetes|k8s)\.io\//.test(key)) {
    const detail = 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use';
    errors.push(fieldInvalid(path, key, detail));
  }
  return errors;
}
