import {
  AuthorizerValue,
  dynView,
  EvaluationError,
  LazyObject,
  MAX_CALL_COST,
  type PolicyExpression,
  type Program,
  ResourceCheck,
  type Result,
  VARIABLES_TYPE,
  type Value,
} from '@apiserver/cel';
import type { EvaluationContext } from './evaluation-context.js';
import type { ExpressionInputs } from './expression-inputs.js';

const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** An expression and its text, which errors show. */
export interface WrittenExpression {
  readonly text: string;
  readonly compiled: PolicyExpression;
}

/** A variable of a policy. */
export interface WrittenVariable {
  readonly name: string;
  readonly compiled: PolicyExpression;
}

/** The result of an expression, and how long it took. */
export type ExpressionOutcome = { readonly seconds: number } & ({ readonly value: Value } | { readonly error: string });

/** The outcomes of expressions, in their order. */
export type Outcomes = readonly (ExpressionOutcome | undefined)[];

/** The expressions of a call have used up its budget: none of its results counts. */
export class OutOfBudget extends Error {
  override readonly name = 'OutOfBudget';

  constructor() {
    super(OUT_OF_BUDGET);
  }
}

/** Variables and budget of a call. */
export interface CallOptions {
  readonly context: EvaluationContext;
  readonly variables: readonly WrittenVariable[];
  /** Cost that the expressions of the call share. */
  readonly budget: number;
}

/**
 * The values that the expressions of one call read. A call evaluates one kind of expressions of a policy, in their
 * order, on one budget. A variable is evaluated once in a call, by the first expression that reads it.
 *
 * Upstream: evaluationActivation in k8s.io/apiserver/pkg/admission/plugin/cel/activation.go
 */
export class Activation {
  readonly #context: EvaluationContext;
  readonly #variables: readonly WrittenVariable[];
  readonly #bindings: (Value | undefined)[];
  readonly #known = new Map<string, Result>();
  /** The variables that the evaluation under way was the first to read, and their cost. */
  #read: string[] = [];
  #readCost = 0;
  #remaining: number;

  constructor(inputs: ExpressionInputs, { context, variables, budget }: CallOptions) {
    this.#context = context;
    this.#variables = variables;
    this.#remaining = budget;
    this.#bindings = bindingsOf(inputs, context);
    this.#bindings.push(this.#newVariables());
  }

  /** The budget that is left. */
  get remaining(): number {
    return this.#remaining;
  }

  /** Throws, or rejects with, OutOfBudget. A promise only if the authorizer must decide. */
  evaluate({ text, compiled }: WrittenExpression): ExpressionOutcome | Promise<ExpressionOutcome> {
    if ('error' in compiled) return { error: `compilation error: ${compiled.error}`, seconds: 0 };
    const started = performance.now();
    const result = this.#attempt(compiled.program);
    if (this.#context.decisions.open === undefined) return outcomeOf(text, result, started);
    return this.#evaluateAgain(text, compiled.program, started);
  }

  async #evaluateAgain(text: string, program: Program, started: number): Promise<ExpressionOutcome> {
    const { decisions } = this.#context;
    if (decisions.open !== undefined) decisions.settle(await this.#context.decide(decisions.open));
    const result = await decisions.decide(
      () => this.#attempt(program),
      (check) => this.#context.decide(check),
    );
    return outcomeOf(text, result, started);
  }

  /**
   * Evaluates, and pays unless a check is open: then the evaluation will be repeated, with the variables that it read.
   */
  #attempt(program: Program): Result {
    this.#read = [];
    this.#readCost = 0;
    const { result, cost } = program.evaluate(this.#bindings, MAX_CALL_COST);
    if (this.#context.decisions.open !== undefined) {
      for (const name of this.#read) this.#known.delete(name);
      this.#bindings[VARIABLES_AT] = this.#newVariables();
      return result;
    }
    if (this.#readCost > this.#remaining) throw new OutOfBudget();
    this.#remaining -= this.#readCost;
    if (cost > this.#remaining) throw new OutOfBudget();
    this.#remaining -= cost;
    return result;
  }

  /**
   * Evaluates expressions in their order; no expression has no outcome. A promise only if the authorizer must decide, or
   * the turn of the event loop is over. Throws, or rejects with, OutOfBudget.
   */
  evaluateAll(expressions: readonly (WrittenExpression | undefined)[]): Outcomes | Promise<Outcomes> {
    const outcomes: (ExpressionOutcome | undefined)[] = [];
    for (let i = 0; i < expressions.length; i++) {
      const expression = expressions[i];
      const outcome = expression && this.evaluate(expression);
      if (outcome instanceof Promise || this.#context.isTurnOver) {
        return this.#evaluateRest(outcomes, outcome, expressions.slice(i + 1));
      }
      outcomes.push(outcome);
    }
    return outcomes;
  }

  /** `pending` is the outcome of the expression before the rest. */
  async #evaluateRest(
    outcomes: (ExpressionOutcome | undefined)[],
    pending: ExpressionOutcome | undefined | Promise<ExpressionOutcome>,
    rest: readonly (WrittenExpression | undefined)[],
  ): Promise<Outcomes> {
    outcomes.push(await pending);
    if (this.#context.isTurnOver) await this.#context.nextTurn();
    for (const expression of rest) {
      outcomes.push(expression && (await this.evaluate(expression)));
      if (this.#context.isTurnOver) await this.#context.nextTurn();
    }
    return outcomes;
  }

  #newVariables(): LazyObject {
    const fields = new Map(this.#variables.map((variable) => [variable.name, () => this.#variable(variable)]));
    return new LazyObject(VARIABLES_TYPE, fields);
  }

  #variable({ name, compiled }: WrittenVariable): Result {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const result = this.#evaluateVariable(name, compiled);
    this.#known.set(name, result);
    this.#read.push(name);
    return result;
  }

  #evaluateVariable(name: string, compiled: PolicyExpression): Result {
    if ('error' in compiled) {
      return new EvaluationError(`composited variable "${name}" fails to compile: ${compiled.error}`);
    }
    const { result, cost } = compiled.program.evaluate(this.#bindings, MAX_CALL_COST);
    this.#readCost += cost;
    if (!(result instanceof EvaluationError)) return result;
    return new EvaluationError(`composited variable "${name}" fails to evaluate: ${result.message}`);
  }
}

/** The place of `variables` among POLICY_BINDINGS. */
const VARIABLES_AT = 7;

function bindingsOf(
  { request, resource, namespace, params, hasAuthorizer }: ExpressionInputs,
  context: EvaluationContext,
): (Value | undefined)[] {
  const { attributes, version, object, oldObject } = request;
  const authorizer = hasAuthorizer ? new AuthorizerValue(context.decisions) : undefined;
  return [
    viewOf(object),
    viewOf(oldObject),
    viewOf(params),
    context.requestIn({ kind: version.kind, resource }),
    viewOf(namespace),
    authorizer,
    authorizer && requestResource(authorizer, attributes),
  ];
}

function viewOf(object: unknown): Value {
  return object === undefined ? null : dynView(object);
}

function requestResource(
  authorizer: AuthorizerValue,
  { resource, subresource, namespace, name }: ExpressionInputs['request']['attributes'],
): ResourceCheck {
  const { group, resource: plural } = resource;
  const none = { fieldSelector: '', labelSelector: '' };
  return new ResourceCheck(authorizer, { group, resource: plural, subresource, namespace, name, ...none });
}

function outcomeOf(text: string, result: Result, started: number): ExpressionOutcome {
  const seconds = (performance.now() - started) / 1000;
  if (!(result instanceof EvaluationError)) return { value: result, seconds };
  return { error: `expression '${text}' resulted in error: ${result.message}`, seconds };
}
