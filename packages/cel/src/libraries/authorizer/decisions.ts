import type { FieldSelector, LabelSelector } from '@apiserver/apimachinery/selectors';
import { EvaluationError } from '../../values/value.js';

/** A selector of a check; the error of one that does not parse. */
export type CheckedSelector<Selector> = { readonly selector: Selector } | { readonly error: string };

/** The resource that a check asks about. Empty texts stand for all. */
export interface CheckedResource {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector: CheckedSelector<FieldSelector> | undefined;
  readonly labelSelector: CheckedSelector<LabelSelector> | undefined;
}

/** The service account that an expression asks for. */
export interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
}

/** A check that an expression asks for. */
export interface AuthorizationCheck {
  /** Undefined for the user of the request. */
  readonly serviceAccount: ServiceAccount | undefined;
  readonly verb: string;
  /** A path, or a resource in any version. */
  readonly target: { readonly path: string } | CheckedResource;
}

/** The decision about a check. */
export interface CheckDecision {
  readonly allowed: boolean;
  readonly reason: string;
  /** The error of the authorizer; undefined if there was none. */
  readonly error: string | undefined;
}

const OPEN = new EvaluationError('the authorizer has not decided yet');

/**
 * The decisions that expressions of one request have asked for. Expressions are evaluated in one go, and authorizers
 * decide later. So an evaluation that meets an unknown check notes it, and its result is worth nothing: `decide` has
 * the check decided, and evaluates again. The last evaluation knows all its decisions; only its cost counts.
 *
 * A round decides one check, the first: without its decision nobody knows whether the expression asks for the next.
 * Thus an authorizer hears the same questions in the same order as upstream's, except repeated ones. The price of a
 * check bounds the number of rounds: an expression can pay for two.
 */
export class AuthorizationDecisions {
  readonly #decisions = new Map<string, CheckDecision>();
  #open: { readonly key: string; readonly check: AuthorizationCheck } | undefined;

  /** The decision about a check; an error if it is open. `key` is unique for the check. */
  find(key: string, check: () => AuthorizationCheck): CheckDecision | EvaluationError {
    const decision = this.#decisions.get(key);
    if (decision !== undefined) return decision;
    this.#open ??= { key, check: check() };
    return OPEN;
  }

  /** The first check that an evaluation asked for and that is not decided; undefined if its result holds. */
  get open(): AuthorizationCheck | undefined {
    return this.#open?.check;
  }

  /** Takes the decision about the open check. */
  settle(decision: CheckDecision): void {
    if (this.#open !== undefined) this.#decisions.set(this.#open.key, decision);
    this.#open = undefined;
  }

  /** Evaluates until no check is open. `authorize` does not reject: a failure is part of the decision. */
  async decide<T>(
    evaluate: () => T,
    authorize: (check: AuthorizationCheck) => Promise<CheckDecision> | CheckDecision,
  ): Promise<T> {
    for (;;) {
      const result = evaluate();
      if (this.#open === undefined) return result;
      this.settle(await authorize(this.#open.check));
    }
  }
}
