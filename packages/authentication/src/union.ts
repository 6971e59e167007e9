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
    authenticateToken: (token, audiences, warnings) =>
      firstAnswer(authenticators, failOnError, (one) => one.authenticateToken(token, audiences, warnings)),
  };
}

async function firstAnswer<A>(
  authenticators: readonly A[],
  failOnError: boolean,
  ask: (authenticator: A) => Promise<AuthenticationResponse | undefined>,
): Promise<AuthenticationResponse | undefined> {
  let errors: unknown[] | undefined;
  for (const authenticator of authenticators) {
    try {
      const response = await ask(authenticator);
      if (response !== undefined) return response;
    } catch (error) {
      if (failOnError) throw error;
      errors ??= [];
      errors.push(error);
    }
  }
  if (errors !== undefined) throw aggregate(errors);
  return undefined;
}

function aggregate(errors: readonly unknown[]): Error {
  const messages = errors.map((error) => (error instanceof Error ? error.message : String(error)));
  return new AggregateError(errors, aggregateMessages(messages));
}
