import { isDeepStrictEqual } from 'node:util';
import { inSlices } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import {
  decodeAuthenticationConfiguration,
  ExpressionCompiler,
  validateConfiguration,
} from '@apiserver/authentication/oidc';
import { SelectorCompiler } from '@apiserver/cel';
import { it } from 'vitest';
import { untrustedPayload } from '../../../packages/authentication/src/jws/compact-jws.ts';
import { checkIdToken } from '../../../packages/authentication/src/oidc/claims/check-id-token.ts';
import type { Claims } from '../../../packages/authentication/src/oidc/claims/decode-claim.ts';
import { mapUserSteps } from '../../../packages/authentication/src/oidc/claims/map-user.ts';
import { untrustedIssuer } from '../../../packages/authentication/src/oidc/issuer/untrusted-issuer.ts';
import { AccessMatcher } from '../../../packages/authorization/src/match-conditions/access-matcher.ts';
import {
  compileConditions,
  conditionCompiler,
} from '../../../packages/authorization/src/match-conditions/compile-conditions.ts';
import type { Random } from '../../watch/random.ts';
import { compareCases } from '../compare-cases.ts';
import { describeUpstream } from '../upstream-program.ts';
import { type AccessCase, randomAccess } from './random-access.ts';
import { randomToken, type TokenCase } from './random-claims.ts';
import { randomSelector, type SelectorCase } from './random-selector.ts';

type ExpressionCase = TokenCase | AccessCase | SelectorCase;

/** A value, or the text of an error. */
interface Outcome {
  readonly error?: string;
  readonly value?: unknown;
  readonly panics?: string;
}

interface RuleAnswer {
  readonly answer?: unknown;
  readonly panics?: string;
}

const claimCompiler = new ExpressionCompiler();
const conditions = conditionCompiler();

async function outcomeOf(value: () => unknown): Promise<Outcome> {
  try {
    const found = await value();
    return found === undefined ? {} : { value: found };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

/** The user of a token whose signature is right. */
async function userOf({ configuration, token }: TokenCase): Promise<unknown> {
  const decoded = decodeAuthenticationConfiguration(Buffer.from(configuration));
  const context = { compiler: claimCompiler, disallowedIssuers: [], egressSelector: true };
  const { issuers, errors } = validateConfiguration(decoded, context);
  const [issuer] = issuers;
  if (errors.length > 0 || issuer === undefined) throw new TypeError(aggregateFieldErrors(errors));
  const { url = '', audiences } = issuer.configuration.issuer ?? {};
  const claims = untrustedPayload(token);
  if (untrustedIssuer(claims) !== url) return undefined;
  try {
    checkIdToken(claims as Claims, { issuer: url, audiences: audiences ?? [], now: Date.now() });
  } catch (error) {
    throw new TypeError(`oidc: verify token: ${messageOf(error)}`, { cause: error });
  }
  const { name, uid = '', groups, extra } = await inSlices(mapUserSteps(issuer, claims as Claims));
  return { name, uid, groups, extra };
}

async function matchOf({ conditions: texts, spec }: AccessCase): Promise<unknown> {
  const compiled = compileConditions(texts, conditions);
  if (compiled.errors.length > 0) throw new TypeError(aggregateFieldErrors(compiled.errors));
  const found = await new AccessMatcher(compiled).match(spec);
  if ('error' in found) throw found.error;
  return found.matches;
}

const selectorCompilers = new Map(
  [false, true].flatMap((consumableCapacity) =>
    [false, true].map((listTypeAttributes) => {
      const features = { consumableCapacity, listTypeAttributes };
      return [`${consumableCapacity} ${listTypeAttributes}`, new SelectorCompiler(features)];
    }),
  ),
);

/** The most that a selector costs. */
function costOf({ expression, consumableCapacity, listTypeAttributes }: SelectorCase): unknown {
  const compiled = selectorCompilers.get(`${consumableCapacity} ${listTypeAttributes}`)?.compile(expression);
  if (compiled === undefined) throw new TypeError('no such compiler');
  return 'error' in compiled ? compiled.error : String(compiled.maxCost);
}

const ours = (one: ExpressionCase): Promise<Outcome> =>
  outcomeOf(() => {
    if (one.rule === 'token') return userOf(one);
    return one.rule === 'accessMatch' ? matchOf(one) : costOf(one);
  });

/** Selectors are answered by their cost or error alone. Empty groups and extra are null. */
function theirs({ answer, panics }: RuleAnswer, { rule }: ExpressionCase): Outcome {
  if (panics !== undefined) return { panics };
  if (rule === 'deviceSelector') return { value: answer };
  const { value, ...rest } = answer as Outcome;
  if (rule === 'accessMatch' || value === undefined) return answer as Outcome;
  const { groups, extra, ...user } = value as {
    readonly groups: readonly string[] | null;
    readonly extra: object | null;
  };
  return { ...rest, value: { ...user, groups: groups ?? [], extra: extra ?? {} } };
}

/** Upstream refuses a result that a function has made as a list of texts. */
const TEXTS = /\.(?:split|findAll|validate|getQuery)\(/;

/** No expectation where upstream panics. A negative depth of `flatten` lowers upstream's cost. */
function difference(their: Outcome, our: Outcome, one: ExpressionCase): unknown {
  if (their.panics !== undefined || isDeepStrictEqual(their, our)) return undefined;
  const asked = JSON.stringify(one);
  const isLowered = /\.flatten\([^)]/.test(asked) && our.error?.includes('cost limit exceeded');
  const isTexts = their.error?.endsWith('must return a string or a list of strings') && TEXTS.test(asked);
  return isLowered || isTexts ? undefined : { theirs: their, ours: our };
}

function randomCase(random: Random): ExpressionCase {
  const kind = random.next();
  if (kind < 0.5) return randomToken(random);
  return kind < 0.8 ? randomAccess(random) : randomSelector(random);
}

describeUpstream('expressions of configurations and devices', (upstream) => {
  it('have upstream’s results, costs and errors', () =>
    compareCases<ExpressionCase, Outcome>(upstream(), { area: 'rule', randomCase, ours, theirs, difference }));
});
