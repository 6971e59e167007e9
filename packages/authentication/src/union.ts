import { aggregateMessages } from '@apiserver/apimachinery';
import type { AuthenticationResponse, Authenticator, TokenAuthenticator } from '@apiserver/apiserver-contracts';

/** How a union takes an authenticator that throws. */
export interface UnionOptions {
  /** End at the first error instead of asking the next one. */
  readonly failOnError?: boolean;
}

/**
 * Asks one authenticator after the other; the first that knows the user wins. Errors are thrown together when nobody does.
 * Upstream: k8s.io/apiserver/pkg/authentication/request/union
 */
export function unionAuthenticator(
  authenticators: readonly Authenticator[],
  { failOnError = false }: UnionOptions = {},
): Authenticator {
  const [only] = authenticators;
  if (only !== undefined && authenticators.length === 1) return only;
  return {
    authenticateRequest: (exchange) =>
      firstAnswer(authenticators, failOnError, (one) => one.authenticateRequest(exchange)),
  };
}

/** The same for tokens. Upstream: k8s.io/apiserver/pkg/authentication/token/union */
export function unionTokenAuthenticator(
  authenticators: readonly TokenAuthenticator[],
  { failOnError = false }: UnionOptions = {},
): TokenAuthenticator {
  const [only] = authenticators;
  if (only !== undefined && authenticators.length === 1) return only;
  return {
    authenticateToken: async (token, audiences, warnings) =>
      firstAnswer(authenticators, failOnError, (one) => one.authenticateToken(token, audiences, warnings)),
  };
}

type Answer = AuthenticationResponse | undefined;

/** Waits for what answers a promise, and for nothing else: certificates are known at once. */
function firstAnswer<A>(
  authenticators: readonly A[],
  failOnError: boolean,
  ask: (authenticator: A) => Promise<Answer> | Answer,
): Promise<Answer> | Answer {
  let errors: unknown[] | undefined;
  const fail = (error: unknown): undefined => {
    if (failOnError) throw error;
    errors ??= [];
    errors.push(error);
  };
  const askFrom = (first: number): Promise<Answer> | Answer => {
    for (let i = first; i < authenticators.length; i++) {
      const response = attempt(() => ask(authenticators[i] as A), fail);
      if (response instanceof Promise) return response.catch(fail).then((answer) => answer ?? askFrom(i + 1));
      if (response !== undefined) return response;
    }
    if (errors !== undefined) throw aggregate(errors);
    return undefined;
  };
  return askFrom(0);
}

function attempt<T>(work: () => T, fail: (error: unknown) => undefined): T | undefined {
  try {
    return work();
  } catch (error) {
    return fail(error);
  }
}

function aggregate(errors: readonly unknown[]): Error {
  const messages = errors.map((error) => (error instanceof Error ? error.message : String(error)));
  return new AggregateError(errors, aggregateMessages(messages));
}
