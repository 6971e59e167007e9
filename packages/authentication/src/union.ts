import { aggregateMessages } from '@apiserver/apimachinery/field';
import type {
  AuthenticationResponse,
  Authenticator,
  Exchange,
  TokenAuthenticator,
} from '@apiserver/apiserver-contracts';

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
  const ask = (one: Authenticator, exchange: Exchange) => one.authenticateRequest(exchange);
  const union = new Union(authenticators, ask, failOnError);
  return { authenticateRequest: (exchange) => union.askFrom(0, exchange, undefined) };
}

/** The same for tokens. Upstream: k8s.io/apiserver/pkg/authentication/token/union */
export function unionTokenAuthenticator(
  authenticators: readonly TokenAuthenticator[],
  { failOnError = false }: UnionOptions = {},
): TokenAuthenticator {
  const [only] = authenticators;
  if (only !== undefined && authenticators.length === 1) return only;
  const ask = (one: TokenAuthenticator, asked: Parameters<TokenAuthenticator['authenticateToken']>) =>
    one.authenticateToken(...asked);
  const union = new Union(authenticators, ask, failOnError);
  return { authenticateToken: async (...asked) => union.askFrom(0, asked, undefined) };
}

type Answer = AuthenticationResponse | undefined;

/** Waits for what answers a promise, and for nothing else: certificates are known at once. */
class Union<A, Q> {
  readonly #authenticators: readonly A[];
  readonly #ask: (authenticator: A, question: Q) => Promise<Answer> | Answer;
  readonly #failOnError: boolean;

  constructor(
    authenticators: readonly A[],
    ask: (authenticator: A, question: Q) => Promise<Answer> | Answer,
    failOnError: boolean,
  ) {
    this.#authenticators = authenticators;
    this.#ask = ask;
    this.#failOnError = failOnError;
  }

  /** `failures` are those of the authenticators before `first`. */
  askFrom(first: number, question: Q, failures: readonly unknown[] | undefined): Promise<Answer> | Answer {
    let errors = failures;
    for (let i = first; i < this.#authenticators.length; i++) {
      try {
        const answer = this.#ask(this.#authenticators[i] as A, question);
        if (answer instanceof Promise) return this.#waitFor(answer, { next: i + 1, question, errors });
        if (answer !== undefined) return answer;
      } catch (error) {
        errors = this.#withFailure(errors, error);
      }
    }
    if (errors !== undefined) throw aggregate(errors);
    return undefined;
  }

  #waitFor(answer: Promise<Answer>, { next, question, errors }: Waiting<Q>): Promise<Answer> {
    return answer.then(
      (response) => response ?? this.askFrom(next, question, errors),
      (error: unknown) => this.askFrom(next, question, this.#withFailure(errors, error)),
    );
  }

  #withFailure(errors: readonly unknown[] | undefined, error: unknown): readonly unknown[] {
    if (this.#failOnError) throw error;
    return errors === undefined ? [error] : [...errors, error];
  }
}

interface Waiting<Q> {
  readonly next: number;
  readonly question: Q;
  readonly errors: readonly unknown[] | undefined;
}

function aggregate(errors: readonly unknown[]): Error {
  const messages = errors.map((error) => (error instanceof Error ? error.message : String(error)));
  return new AggregateError(errors, aggregateMessages(messages));
}
