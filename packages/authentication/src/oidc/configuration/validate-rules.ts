import {
  type FieldError,
  type FieldPath,
  fieldDuplicate,
  fieldInternal,
  fieldInvalid,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import type { CompiledExpression, ExpressionCompiler, ExpressionVariable } from '../expressions/expression-compiler.js';
import { readsClaim } from '../expressions/reads-claim.js';
import type { ClaimValidationRule, UserValidationRule } from './authentication-configuration.js';

/** The state of one issuer's validation. */
export interface ValidationState {
  readonly compiler: ExpressionCompiler;
  /** True if the user name depends on `claims.email`. */
  readsEmail: boolean;
  /** True if an expression reads `claims.email_verified`. */
  readsEmailVerified: boolean;
}

/** An expression that must be true, and the message if it is not. */
export interface CompiledRule {
  readonly expression: CompiledExpression;
  readonly message: string;
}

/** Rules with their faults. */
export interface ValidatedRules {
  readonly compiled: readonly CompiledRule[];
  readonly errors: readonly FieldError[];
}

/** Upstream: validateClaimValidationRules of k8s.io/apiserver/pkg/apis/apiserver/validation */
export function validateClaimRules(
  rules: readonly ClaimValidationRule[],
  path: FieldPath,
  state: ValidationState,
): ValidatedRules {
  const [claims, expressions] = [new Set<string>(), new Set<string>()];
  const errors: FieldError[] = [];
  const compiled: CompiledRule[] = [];
  for (const [index, rule] of rules.entries()) {
    const at = path.index(index);
    const { claim = '', expression = '', message = '' } = rule;
    if (claim !== '' || expression === '') {
      errors.push(...claimRuleErrors(rule, at, claims));
      if (expression === '') claims.add(claim);
      continue;
    }
    errors.push(...requiredValueErrors(rule, at));
    const result = compileOnce(state, { expression, at: at.child('expression'), variable: 'claims' }, expressions);
    if (!('text' in result)) errors.push(result);
    else compiled.push({ expression: result, message });
  }
  state.readsEmailVerified ||= compiled.some(({ expression }) => readsClaim(expression.root, 'email_verified'));
  return { compiled, errors };
}

function claimRuleErrors(rule: ClaimValidationRule, at: FieldPath, known: ReadonlySet<string>): FieldError[] {
  const { claim = '', expression = '', message = '' } = rule;
  if (claim !== '' && expression !== '') return [fieldInvalid(at, claim, "claim and expression can't both be set")];
  if (claim === '') return [fieldRequired(at, 'claim or expression is required')];
  const errors: FieldError[] = [];
  if (message !== '') errors.push(fieldInvalid(at.child('message'), message, 'may not be specified when claim is set'));
  if (known.has(claim)) errors.push(fieldDuplicate(at.child('claim'), claim));
  return errors;
}

function requiredValueErrors({ requiredValue = '' }: ClaimValidationRule, at: FieldPath): FieldError[] {
  if (requiredValue === '') return [];
  return [fieldInvalid(at.child('requiredValue'), requiredValue, 'may not be specified when expression is set')];
}

/** Upstream: validateUserValidationRules of k8s.io/apiserver/pkg/apis/apiserver/validation */
export function validateUserRules(
  rules: readonly UserValidationRule[],
  path: FieldPath,
  state: ValidationState,
): ValidatedRules {
  const expressions = new Set<string>();
  const errors: FieldError[] = [];
  const compiled: CompiledRule[] = [];
  for (const [index, { expression = '', message = '' }] of rules.entries()) {
    const at = path.index(index).child('expression');
    if (expression === '') {
      errors.push(fieldRequired(at, ''));
      continue;
    }
    const result = compileOnce(state, { expression, at, variable: 'user' }, expressions);
    if (!('text' in result)) errors.push(result);
    else compiled.push({ expression: result, message });
  }
  return { compiled, errors };
}

interface Condition {
  readonly expression: string;
  readonly at: FieldPath;
  readonly variable: ExpressionVariable;
}

function compileOnce(
  { compiler }: ValidationState,
  { expression, at, variable }: Condition,
  known: Set<string>,
): CompiledExpression | FieldError {
  if (known.has(expression)) return fieldDuplicate(at, expression);
  known.add(expression);
  return compileAt(compiler, at, { expression, variable, isCondition: true });
}

/** Compiles the expression of a field. */
export function compileAt(
  compiler: ExpressionCompiler,
  at: FieldPath,
  written: { readonly expression: string; readonly variable: ExpressionVariable; readonly isCondition: boolean },
): CompiledExpression | FieldError {
  const { expression, variable, isCondition } = written;
  const result = compiler.compile(expression, variable, isCondition);
  if (!('error' in result)) return result;
  return result.isInternal ? fieldInternal(at, new Error(result.error)) : fieldInvalid(at, expression, result.error);
}
