import { messageOf } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import type { UserInfo } from '@apiserver/apiserver-contracts';
import type { Value } from '@apiserver/cel';
import { CREDENTIAL_ID_KEY } from '../../credential-id.js';
import { TokenError } from '../../token-error.js';
import type { CompiledIssuer } from '../configuration/validate-configuration.js';
import { claimsValue, userValue } from '../expressions/claims-value.js';
import { type CompiledExpression, evaluate } from '../expressions/expression-compiler.js';
import { stringList } from '../expressions/string-list.js';
import { checkRequiredClaims, checkRulesSteps } from './check-rules.js';
import { boolClaim, type Claims, claimOf, textClaim, textsClaim } from './decode-claim.js';

/**
 * Makes the user of verified claims, and checks the rules of the issuer, in steps of one expression each. Throws an Error
 * with upstream's message.
 * Upstream: jwtAuthenticator.AuthenticateToken of k8s.io/apiserver/plugin/pkg/authenticator/token/oidc
 */
export function* mapUserSteps(issuer: CompiledIssuer, claims: Claims): Generator<void, UserInfo> {
  const value = claimsValue(claims);
  const name = nameOf(issuer, claims, value);
  yield;
  const groups = groupsOf(issuer, claims, value);
  yield;
  const uid = uidOf(issuer, claims, value);
  yield;
  const extra = yield* extraSteps(issuer, claims, value);
  checkRequiredClaims(issuer.configuration.claimValidationRules ?? [], claims);
  yield* checkRulesSteps(issuer.claimRules, value, 'claim validation expression');
  const user: UserInfo = { name, ...(uid === '' ? undefined : { uid }), groups, extra };
  yield* checkRulesSteps(issuer.userRules, userValue(user), 'user info validation rule');
  return user;
}

/** Prefixes the message of a failure. */
function inContext<T>(what: string, compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    throw new TokenError(`${what}: ${messageOf(error)}`, { cause: error });
  }
}

function textResult(value: Value, what: string): string {
  if (typeof value === 'string') return value;
  throw new TokenError(`${what} claim expression must return a string`);
}

function nameOf({ configuration, mappings }: CompiledIssuer, claims: Claims, value: Value): string {
  const { username: expression } = mappings;
  if (expression !== undefined) {
    const name = inContext('oidc: error evaluating username claim expression', () =>
      textResult(evaluate(expression, value), 'username'),
    );
    if (name === '') throw new TokenError('oidc: empty username via CEL expression is not allowed');
    return name;
  }
  const { claim = '', prefix } = configuration.claimMappings?.username ?? {};
  const name = inContext(`oidc: parse username claims ${quote(claim)}`, () => textClaim(claims, claim));
  if (claim === 'email' && Object.hasOwn(claims, 'email_verified')) checkEmail(claims['email_verified']);
  return (prefix ?? '') + name;
}

function checkEmail(verified: unknown): void {
  const isVerified = inContext("oidc: parse 'email_verified' claim", () => boolClaim(verified));
  if (!isVerified) throw new TokenError('oidc: email not verified');
}

function groupsOf({ configuration, mappings }: CompiledIssuer, claims: Claims, value: Value): readonly string[] {
  const { claim = '', prefix } = configuration.claimMappings?.groups ?? {};
  if (claim !== '') {
    const groups = claimOf(claims, claim);
    if (groups === undefined) return [];
    const texts = inContext(`oidc: parse groups claim ${quote(claim)}`, () => textsClaim(groups));
    return prefix ? texts.map((text) => prefix + text) : texts;
  }
  const { groups: expression } = mappings;
  if (expression === undefined) return [];
  return inContext('oidc: error evaluating group claim expression', () => stringList(evaluate(expression, value)));
}

function uidOf({ configuration, mappings }: CompiledIssuer, claims: Claims, value: Value): string {
  const { claim = '' } = configuration.claimMappings?.uid ?? {};
  if (claim !== '') return inContext(`oidc: parse uid claim ${quote(claim)}`, () => textClaim(claims, claim));
  const { uid: expression } = mappings;
  if (expression === undefined) return '';
  return inContext('oidc: error evaluating uid claim expression', () => textResult(evaluate(expression, value), 'uid'));
}

function* extraSteps({ mappings }: CompiledIssuer, claims: Claims, value: Value): Generator<void, UserInfo['extra']> {
  const extra: Record<string, readonly string[]> = {};
  const id = claimOf(claims, 'jti');
  if (typeof id === 'string' && id !== '') extra[CREDENTIAL_ID_KEY] = [`JTI=${id}`];
  // All are evaluated before the first result is looked at.
  const results: { readonly key: string; readonly expression: CompiledExpression; readonly result: Value }[] = [];
  for (const { key, expression } of mappings.extra) {
    results.push({ key, expression, result: evaluate(expression, value) });
    yield;
  }
  for (const { key, expression, result } of results) {
    const texts = inContext(`oidc: error evaluating extra claim expression: ${expression.text}`, () =>
      stringList(result),
    );
    if (texts.length > 0) extra[key] = texts;
  }
  return extra;
}
