import type { GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import {
  Activation,
  type ExpressionOutcome,
  OutOfBudget,
  type WrittenExpression,
  type WrittenVariable,
} from '../expressions/activation.js';
import type { EvaluationContext } from '../expressions/evaluation-context.js';
import type { MatchedRequest } from '../expressions/expression-inputs.js';

/** Cost that the conditions of one webhook or one binding share. Upstream: k8s.io/apiserver/pkg/apis/cel/config.go */
const BUDGET = 2_500_000;

/** Input of `MatchConditions`. */
export interface MatchConditionsOptions {
  readonly conditions: readonly WrittenExpression[];
  readonly failurePolicy: 'Fail' | 'Ignore';
  /** The variables that conditions may read. */
  readonly variables?: readonly WrittenVariable[];
  readonly observer?: MatchConditionsObserver;
}

/** Counts evaluations. */
export interface MatchConditionsObserver {
  /** The conditions of a request have been evaluated. */
  evaluated(operation: string, seconds: number): void;
  /** A condition failed. */
  failed(operation: string): void;
}

/** The result of match conditions; `error` refuses the request. */
export type ConditionsMatch = { readonly matches: boolean } | { readonly error: string };

const ALWAYS: ConditionsMatch = { matches: true };

/**
 * The match conditions of a webhook or of a policy. One condition that is false decides, whatever errors the others
 * have.
 *
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions/matcher.go
 */
export class MatchConditions {
  readonly #conditions: readonly WrittenExpression[];
  readonly #variables: readonly WrittenVariable[];
  readonly #fails: boolean;
  readonly #observer: MatchConditionsObserver | undefined;

  constructor({ conditions, failurePolicy, variables = [], observer }: MatchConditionsOptions) {
    this.#conditions = conditions;
    this.#variables = variables;
    this.#fails = failurePolicy === 'Fail';
    this.#observer = observer;
  }

  /** Evaluates the conditions. `params` are those of a policy. A promise only if there are conditions. */
  match(
    request: MatchedRequest,
    context: EvaluationContext,
    params?: KubeObject,
  ): ConditionsMatch | Promise<ConditionsMatch> {
    return this.#conditions.length === 0 ? ALWAYS : this.#match(request, context, params);
  }

  async #match(request: MatchedRequest, context: EvaluationContext, params?: KubeObject): Promise<ConditionsMatch> {
    const started = performance.now();
    const { operation, resource } = request.attributes;
    const result = await this.#evaluate(request, resource, context, params);
    this.#observer?.evaluated(operation, (performance.now() - started) / 1000);
    return result;
  }

  async #evaluate(
    request: MatchedRequest,
    resource: GroupVersionResource,
    context: EvaluationContext,
    params: KubeObject | undefined,
  ): Promise<ConditionsMatch> {
    const inputs = { request, resource, params, hasAuthorizer: true };
    const activation = new Activation(inputs, { context, variables: this.#variables, budget: BUDGET });
    try {
      return this.#judge(await activation.evaluateAll(this.#conditions), request.attributes.operation);
    } catch (error) {
      if (!(error instanceof OutOfBudget)) throw error;
      return this.#fails ? { error: error.message } : { matches: false };
    }
  }

  #judge(outcomes: readonly (ExpressionOutcome | undefined)[], operation: string): ConditionsMatch {
    const errors: string[] = [];
    for (const outcome of outcomes) {
      if (outcome === undefined) continue;
      if ('error' in outcome) {
        errors.push(outcome.error);
        this.#observer?.failed(operation);
      } else if (outcome.value === false) {
        return { matches: false };
      }
    }
    if (errors.length === 0) return { matches: true };
    return this.#fails ? { error: aggregateMessages(errors) } : { matches: false };
  }
}
