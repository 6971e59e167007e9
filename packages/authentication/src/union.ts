import { messageOf } from '@apiserver/apimachinery/errors';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import type {
  AuthenticationResponse,
  Authenticator,
  Exchange,
  TokenAuthenticator,
} from '@apiserver/apiserver-contracts';

/** Options of a union. */
export interface UnionOptions {
  /** Fail at the first error instead of trying the next authenticator. */
  readonly failOnError?: boolean;
}

/**
 * Tries one authenticator after the other; the first that finds a user wins. If none does, all errors are thrown
 * together.
 * Upstream: k8s.io/apiserver/pkg/authentication/request/union
 */
export function unionAuthenticator(
  authenticators: readonly Authenticator[],
  { failOnError = false }: UnionOptions = {},
): Authenticator {
  const [only] = authenticators;
  if (only !== undefined && authenticators.length === 1) return only;
  const call = (one: Authenticator, exchange: Exchange) => one.authenticateRequest(exchange);
  const union = new Union(authenticators, call, failOnError);
  return { authenticateRequest: (exchange) => union.callFrom(0, exchange, undefined) };
}

/** The same for tokens. Upstream: k8s.io/apiserver/pkg/authentication/token/union */
export function unionTokenAuthenticator(
  authenticators: readonly TokenAuthenticator[],
  { failOnError = false }: UnionOptions = {},
): TokenAuthenticator {
  const [only] = authenticators;
  if (only !== undefined && authenticators.length === 1) return only;
  const call = (one: TokenAuthenticator, args: Parameters<TokenAuthenticator['authenticateToken']>) =>
    one.authenticateToken(...args);
  const union = new Union(authenticators, call, failOnError);
  return { authenticateToken: async (...args) => union.callFrom(0, args, undefined) };
}

type Outcome = AuthenticationResponse | undefined;

/** Awaits only promises: certificates, for example, are verified synchronously. */
class Union<A, Q> {
  readonly #authenticators: readonly A[];
  readonly #call: (authenticator: A, input: Q) => Promise<Outcome> | Outcome;
  readonly #failOnError: boolean;

  constructor(
    authenticators: readonly A[],
    call: (authenticator: A, input: Q) => Promise<Outcome> | Outcome,
    failOnError: boolean,
  ) {
    this.#authenticators = authenticators;
    this.#call = call;
    this.#failOnError = failOnError;
  }

  /** `failures` are those of the authenticators before `first`. */
  callFrom(first: number, input: Q, failures: readonly unknown[] | undefined): Promise<Outcome> | Outcome {
    let errors = failures;
    for (let i = first; i < this.#authenticators.length; i++) {
      try {
        const outcome = this.#call(this.#authenticators[i] as A, input);
        if (outcome instanceof Promise) return this.#waitFor(outcome, { next: i + 1, input, errors });
        if (outcome !== undefined) return outcome;
      } catch (error) {
        errors = this.#withFailure(errors, error);
      }
    }
    if (errors !== undefined) throw aggregate(errors);
    return undefined;
  }

  #waitFor(outcome: Promise<Outcome>, { next, input, errors }: Waiting<Q>): Promise<Outcome> {
    return outcome.then(
      (response) => response ?? this.callFrom(next, input, errors),
      (error: unknown) => this.callFrom(next, input, this.#withFailure(errors, error)),
    );
  }

  #withFailure(errors: readonly unknown[] | undefined, error: unknown): readonly unknown[] {
    if (this.#failOnError) throw error;
    return errors === undefined ? [error] : [...errors, error];
  }
}

interface Waiting<Q> {
  readonly next: number;
  readonly input: Q;
  readonly errors: readonly unknown[] | undefined;
}

function aggregate(errors: readonly unknown[]): Error {
  const messages = errors.map(messageOf);
  return new AggregateError(errors, aggregateMessages(messages));
}
