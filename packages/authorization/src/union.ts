import { aggregateMessages } from '@apiserver/apimachinery/field';
import type { AuthorizationAttributes, AuthorizationResult, Authorizer } from '@apiserver/apiserver-contracts';

/**
 * Asks one authorizer after the other: the first that allows or denies decides. When none does, the answer is NoOpinion
 * with every reason, one per line, and every error. Stays synchronous as long as the authorizers are.
 * Upstream: k8s.io/apiserver/pkg/authorization/union
 */
export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  return {
    authorize: (attributes, signal) => ask({ authorizers, attributes, signal }, 0, { reasons: [], errors: [] }),
  };
}

interface Question {
  readonly authorizers: readonly Authorizer[];
  readonly attributes: AuthorizationAttributes;
  readonly signal: AbortSignal | undefined;
}

interface Opinions {
  readonly reasons: string[];
  readonly errors: Error[];
}

function ask(question: Question, from: number, opinions: Opinions): Promise<AuthorizationResult> | AuthorizationResult {
  for (let index = from; index < question.authorizers.length; index++) {
    const result = question.authorizers[index]?.authorize(question.attributes, question.signal);
    if (result === undefined) continue;
    if (result instanceof Promise) {
      return result.then((settled) => (note(settled, opinions) ? settled : ask(question, index + 1, opinions)));
    }
    if (note(result, opinions)) return result;
  }
  return undecided(opinions);
}

/** Whether the result decides; else its reason and error are kept. */
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
