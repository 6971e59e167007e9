import type { AuditAnnotation, ValidatingAdmissionPolicy, Validation } from '@apiserver/api/admissionregistration/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { type PolicyCompiler, trimText } from '@apiserver/cel';
import {
  Activation,
  type ExpressionOutcome,
  OutOfBudget,
  type WrittenExpression,
  type WrittenVariable,
} from '../../expressions/activation.js';
import { compileExpressions } from '../../expressions/compile-expressions.js';
import type { EvaluationContext } from '../../expressions/evaluation-context.js';
import type { MatchedRequest } from '../../expressions/expression-inputs.js';
import type { MatchConditions } from '../../matching/match-conditions.js';
import { CALL_BUDGET, type CompileDependencies, type CompiledParts, compileParts } from '../shared/compile-policy.js';

/** Most bytes of an evaluated message. Upstream: k8s.io/apiserver/pkg/apis/cel/config.go */
const MAX_MESSAGE_BYTES = 5 * 1024;

/** The decision of one validation. */
export interface PolicyDecision {
  /** `error` for an expression that failed. */
  readonly evaluation: 'admit' | 'deny' | 'error';
  readonly isDenied: boolean;
  readonly message: string;
  /** The reason of the refusal; undefined for the default. */
  readonly reason: string | undefined;
  readonly seconds: number;
}

/** An audit annotation: a value, or an error that refuses the request. */
export type EvaluatedAnnotation = { readonly key: string; readonly seconds: number } & (
  | { readonly value: string }
  | { readonly error: string }
);

/** The result of a policy for one set of parameters. */
export interface ValidationResult {
  readonly decisions: readonly PolicyDecision[];
  readonly annotations: readonly EvaluatedAnnotation[];
}

/** Input of an evaluation. */
export interface ValidatedCall {
  readonly request: MatchedRequest;
  /** Undefined for a request without a namespace. */
  readonly namespace: object | undefined;
  readonly parameters: KubeObject | undefined;
  readonly context: EvaluationContext;
}

/** The compiled expressions of a policy. */
interface CompiledValidations extends Omit<CompiledParts, 'compiler'> {
  readonly expressions: readonly WrittenExpression[];
  readonly values: readonly WrittenExpression[];
  readonly messages: readonly (WrittenExpression | undefined)[];
}

const NOTHING: ValidationResult = { decisions: [], annotations: [] };

/**
 * A compiled ValidatingAdmissionPolicy.
 * Upstream: validator of k8s.io/apiserver/pkg/admission/plugin/policy/validating
 */
export class ValidatingPolicy {
  readonly #validations: readonly Validation[];
  readonly #expressions: readonly WrittenExpression[];
  readonly #messages: readonly (WrittenExpression | undefined)[];
  readonly #hasMessages: boolean;
  readonly #annotations: readonly AuditAnnotation[];
  readonly #values: readonly WrittenExpression[];
  readonly #variables: readonly WrittenVariable[];
  readonly #conditions: MatchConditions;
  readonly #fails: boolean;

  private constructor(
    { spec }: ValidatingAdmissionPolicy,
    { variables, conditions, ...compiled }: CompiledValidations,
  ) {
    const { validations = [], auditAnnotations = [] } = spec;
    this.#validations = validations;
    this.#annotations = auditAnnotations;
    this.#variables = variables;
    this.#conditions = conditions;
    this.#fails = spec.failurePolicy !== 'Ignore';
    this.#expressions = compiled.expressions;
    this.#values = compiled.values;
    this.#messages = compiled.messages;
    this.#hasMessages = compiled.messages.some((message) => message !== undefined);
  }

  /** Compiles a policy, in steps. */
  static *compile(
    policy: ValidatingAdmissionPolicy,
    dependencies: CompileDependencies,
  ): Generator<void, ValidatingPolicy> {
    const { compiler, ...parts } = yield* compileParts(policy, dependencies);
    const { validations = [], auditAnnotations = [] } = policy.spec;
    const expressions = validations.map(({ expression }) => expression);
    const values = auditAnnotations.map(({ valueExpression }) => valueExpression);
    return new ValidatingPolicy(policy, {
      ...parts,
      expressions: yield* compileExpressions(compiler, expressions, 'condition'),
      values: yield* compileExpressions(compiler, values, 'auditAnnotation'),
      messages: yield* compileMessages(compiler, validations),
    });
  }

  async validate(call: ValidatedCall): Promise<ValidationResult> {
    const { request, context, parameters } = call;
    const matching = this.#conditions.match(request, context, parameters);
    const conditions = matching instanceof Promise ? await matching : matching;
    if ('error' in conditions) return { ...NOTHING, decisions: [this.#failed(conditions.error, 0)] };
    if (!conditions.matches) return NOTHING;
    try {
      const decisions = await this.#decide(call);
      return { decisions, annotations: this.#annotations.length === 0 ? [] : await this.#annotate(call) };
    } catch (error) {
      if (!(error instanceof OutOfBudget)) throw error;
      return { ...NOTHING, decisions: [this.#failed(error.message, 0)] };
    }
  }

  async #decide(call: ValidatedCall): Promise<readonly PolicyDecision[]> {
    const validating = this.#activation(call, true, CALL_BUDGET);
    const evaluated = validating.evaluateAll(this.#expressions);
    const outcomes = evaluated instanceof Promise ? await evaluated : evaluated;
    const messages = this.#hasMessages ? await this.#evaluateMessages(call, validating.remaining) : [];
    return outcomes.map((outcome, index) => {
      const validation = this.#validations[index];
      if (outcome === undefined || validation === undefined) throw new TypeError('an expression has no outcome');
      if ('error' in outcome) return this.#failed(outcome.error, outcome.seconds);
      if (messages instanceof OutOfBudget) {
        return this.#failed(`failed messageExpression: ${messages.message}`, outcome.seconds);
      }
      return outcome.value === true ? admitted(outcome) : denied(validation, outcome, messages[index]);
    });
  }

  /** The messages of all validations, also of those that pass: their cost counts. */
  async #evaluateMessages(
    call: ValidatedCall,
    budget: number,
  ): Promise<readonly (ExpressionOutcome | undefined)[] | OutOfBudget> {
    try {
      return await this.#activation(call, false, budget).evaluateAll(this.#messages);
    } catch (error) {
      if (error instanceof OutOfBudget) return error;
      throw error;
    }
  }

  async #annotate(call: ValidatedCall): Promise<readonly EvaluatedAnnotation[]> {
    const outcomes = await this.#activation(call, false, CALL_BUDGET).evaluateAll(this.#values);
    return outcomes.flatMap((outcome, index) => {
      const { key } = this.#annotations[index] ?? { key: '' };
      return outcome === undefined ? [] : this.#annotation(key, outcome);
    });
  }

  /** An annotation without text is left out. */
  #annotation(key: string, outcome: ExpressionOutcome): readonly EvaluatedAnnotation[] {
    const { seconds } = outcome;
    if ('error' in outcome) return this.#fails ? [{ key, seconds, error: outcome.error }] : [];
    const value = typeof outcome.value === 'string' ? trimText(outcome.value) : '';
    return value === '' ? [] : [{ key, seconds, value }];
  }

  #activation({ request, namespace, parameters, context }: ValidatedCall, hasAuthorizer: boolean, budget: number) {
    const { resource } = request.version;
    const inputs = { request, resource, namespace, params: parameters, hasAuthorizer };
    return new Activation(inputs, { context, variables: this.#variables, budget });
  }

  #failed(message: string, seconds: number): PolicyDecision {
    return { evaluation: 'error', isDenied: this.#fails, message, reason: undefined, seconds };
  }
}

function* compileMessages(
  compiler: PolicyCompiler,
  validations: readonly Validation[],
): Generator<void, readonly (WrittenExpression | undefined)[]> {
  const messages: (WrittenExpression | undefined)[] = [];
  for (const { messageExpression: text = '' } of validations) {
    messages.push(text === '' ? undefined : { text, compiled: yield* compiler.compileSteps(text, 'message') });
    yield;
  }
  return messages;
}

function admitted({ seconds }: ExpressionOutcome): PolicyDecision {
  return { evaluation: 'admit', isDenied: false, message: '', reason: undefined, seconds };
}

function denied(
  { expression, message = '', reason }: Validation,
  { seconds }: ExpressionOutcome,
  evaluated: ExpressionOutcome | undefined,
): PolicyDecision {
  const text = evaluatedMessage(evaluated) || trimText(message) || `failed expression: ${trimText(expression)}`;
  return { evaluation: 'deny', isDenied: true, message: text, reason, seconds };
}

/** The text of a message expression; empty if it failed, is too long, or has several lines. */
function evaluatedMessage(outcome: ExpressionOutcome | undefined): string {
  if (outcome === undefined || 'error' in outcome || typeof outcome.value !== 'string') return '';
  const message = trimText(outcome.value);
  return message.includes('\n') || Buffer.byteLength(message) > MAX_MESSAGE_BYTES ? '' : message;
}
