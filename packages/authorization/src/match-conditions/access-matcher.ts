import type { SubjectAccessReviewSpec } from '@apiserver/api/authorization/v1';
import { inSlices } from '@apiserver/apimachinery/clock';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import { dynView, EvaluationError, MAX_CALL_COST } from '@apiserver/cel';
import type { CompiledConditions } from './compile-conditions.js';
import { reviewedRequest } from './reviewed-request.js';

/** Counts evaluations of match conditions. */
export interface ConditionsObserver {
  /** The conditions of a request have been evaluated. */
  evaluated(seconds: number): void;
  /** At least one condition of a request failed. */
  failed(): void;
  /** A condition excluded a request. */
  excluded(): void;
}

/** The conditions matched or not; `error` if none is false, but some failed. */
export type AccessMatch = { readonly matches: boolean } | { readonly error: Error };

/**
 * Evaluates the match conditions of an authorization webhook. Many or expensive conditions give others their turns.
 * Upstream: k8s.io/apiserver/pkg/authorization/cel/matcher.go
 */
export class AccessMatcher {
  readonly #compiled: CompiledConditions;
  readonly #observer: ConditionsObserver | undefined;

  constructor(compiled: CompiledConditions, observer?: ConditionsObserver) {
    this.#compiled = compiled;
    this.#observer = observer;
  }

  /** A promise only if the evaluation took more than one turn. */
  match(spec: SubjectAccessReviewSpec): AccessMatch | Promise<AccessMatch> {
    return inSlices(this.#evaluate(spec, performance.now()));
  }

  *#evaluate(spec: SubjectAccessReviewSpec, started: number): Generator<void, AccessMatch> {
    const bindings = [dynView(reviewedRequest(spec, this.#compiled))];
    const errors: string[] = [];
    let isExcluded = false;
    for (const { text, program } of this.#compiled.conditions) {
      const { result } = program.evaluate(bindings, MAX_CALL_COST);
      if (result instanceof EvaluationError) {
        errors.push(`cel evaluation error: expression '${text}' resulted in error: ${result.message}`);
      } else if (result === false) {
        isExcluded = true;
        break;
      }
      yield;
    }
    if (isExcluded) this.#observer?.excluded();
    this.#observer?.evaluated((performance.now() - started) / 1_000);
    if (errors.length > 0) this.#observer?.failed();
    if (isExcluded) return { matches: false };
    return errors.length === 0 ? { matches: true } : { error: new Error(aggregateMessages(errors)) };
  }
}
