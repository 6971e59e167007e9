import { messageOf } from '@apiserver/apimachinery/errors';
import type { Value } from '@apiserver/cel';
import { TokenError } from '../../token-error.js';
import type { ClaimValidationRule } from '../configuration/authentication-configuration.js';
import type { CompiledRule } from '../configuration/validate-rules.js';
import { evaluate } from '../expressions/expression-compiler.js';
import { type Claims, claimOf, textClaim } from './decode-claim.js';

/** Checks the claims that must have a value. Throws an Error with upstream's message. */
export function checkRequiredClaims(rules: readonly ClaimValidationRule[], claims: Claims): void {
  for (const { claim = '', requiredValue = '' } of rules) {
    if (claim === '') continue;
    if (claimOf(claims, claim) === undefined) {
      throw new TokenError(`oidc: required claim ${claim} not present in ID token`);
    }
    let value: string;
    try {
      value = textClaim(claims, claim);
    } catch (error) {
      throw new TokenError(`oidc: parse claim ${claim}: ${messageOf(error)}`, { cause: error });
    }
    if (value !== requiredValue) {
      throw new TokenError(
        `oidc: required claim ${claim} value does not match. Got = ${value}, want = ${requiredValue}`,
      );
    }
  }
}

/**
 * Checks expressions that must be true, one in each step. Throws an Error with upstream's message for the first that is not.
 * Upstream: checkValidationRulesEvaluation of k8s.io/apiserver/plugin/pkg/authenticator/token/oidc
 */
export function* checkRulesSteps(rules: readonly CompiledRule[], value: Value, what: string): Generator<void, void> {
  try {
    // All are evaluated before the first result is looked at.
    const results: { readonly rule: CompiledRule; readonly result: Value }[] = [];
    for (const rule of rules) {
      results.push({ rule, result: evaluate(rule.expression, value) });
      yield;
    }
    for (const { rule, result } of results) {
      if (typeof result !== 'boolean') throw new TokenError('validation expression must return a boolean');
      if (!result) throw new TokenError(`validation expression '${rule.expression.text}' failed: ${rule.message}`);
    }
  } catch (error) {
    throw new TokenError(`oidc: error evaluating ${what}: ${messageOf(error)}`, { cause: error });
  }
}
