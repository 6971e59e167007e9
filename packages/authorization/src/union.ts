import { aggregateMessages } from '@apiserver/apimachinery/field';
import type { AuthorizationAttributes, AuthorizationResult, Authorizer } from '@apiserver/apiserver-contracts';

/**
 * Calls one authorizer after the other: the first that allows or denies decides. If none does, the result is
 * NoOpinion with every reason, one per line, and every error. Stays synchronous while the authorizers do.
 * Upstream: k8s.io/apiserver/pkg/authorization/union
 */
export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  return {
    isRemote: authorizers.some(({ isRemote }) => isRemote),
    authorize: (attributes, signal) => callFrom({ authorizers, attributes, signal }, 0, { reasons: [], errors: [] }),
  };
}

interface Call {
  readonly authorizers: readonly Authorizer[];
  readonly attributes: AuthorizationAttributes;
  readonly signal: AbortSignal | undefined;
}

interface Opinions {
  readonly reasons: string[];
  readonly errors: Error[];
}

function callFrom(call: Call, from: number, opinions: Opinions): Promise<AuthorizationResult> | AuthorizationResult {
  for (let index = from; index < call.authorizers.length; index++) {
    const result = call.authorizers[index]?.authorize(call.attributes, call.signal);
    if (result === undefined) continue;
    if (result instanceof Promise) {
      return result.then((settled) => (note(settled, opinions) ? settled : callFrom(call, index + 1, opinions)));
    }
    if (note(result, opinions)) return result;
  }
  return undecided(opinions);
}

/** Reports whether the result decides; if not, keeps its reason and error. */
function note(result: AuthorizationResult, opinions: Opinions): boolean {
  if (result.decision !== 'NoOpinion') return true;
  if (result.reason !== '') opinions.reasons.push(result.reason);
  if (result.error !== undefined) opinions.errors.push(result.error);
  return false;
}

function undecided({ reasons, errors }: Opinions): AuthorizationResult {
  const reason = reasons.join('\n');
  if (errors.length === 0) return { decision: 'NoOpinion', reason };
  const message = aggregateMessages(errors.map((error) => error.message));
  return { decision: 'NoOpinion', reason, error: new AggregateError(errors, message) };
}
