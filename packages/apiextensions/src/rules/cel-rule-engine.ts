import type { JSONSchemaProps, ValidationRule } from '@apiserver/api/apiextensions/v1';
import { trimSpace } from '@apiserver/apimachinery/text';
import {
  type CelType,
  type CheckEnvironment,
  type CheckedExpression,
  compileProgram,
  type DeclType,
  declareKubernetesFunctions,
  declTypeProvider,
  declTypeSizes,
  EvaluationError,
  ExpressionErrors,
  escapeField,
  estimateCost,
  type Functions,
  type Implementations,
  jsonView,
  kubernetesImplementations,
  MAX_CALL_COST,
  nameTypes,
  OptionalValue,
  optionalOf,
  type Program,
  parseAndCheck,
  type SizeEstimator,
  schemaDeclType,
  type Value,
} from '@apiserver/cel';
import { celSchemaOf } from './cel-schema.js';
import type { CompiledRule, Evaluation, RuleEngine, RuleSet } from './rule-engine.js';
import { noRuleObserver, type RuleObserver } from './rule-metrics.js';
import { normalizedFieldPath } from './validate-rule-fields.js';

/** Most bytes of a request. Upstream: MaxRequestSizeBytes */
const MAX_REQUEST = 3 * 1024 * 1024;
const VARIABLES = ['self', 'oldSelf'];

/** The environments of rules whose `oldSelf` always has a value, and of those where it is optional. */
interface Environments {
  readonly always: CheckEnvironment;
  readonly optional: CheckEnvironment;
}

/** The dependencies of the rules of one schema. */
interface RuleContext {
  readonly props: JSONSchemaProps;
  readonly environments: Environments;
  /** Undefined if costs are not asked for. */
  readonly sizes: SizeEstimator | undefined;
}

/**
 * The engine of rules.
 *
 * Stored expressions and new ones have one environment: no library or option of 1.36 is younger than the version that
 * the server stays compatible with.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/compilation.go
 */
export class CelRuleEngine implements RuleEngine {
  readonly #functions: Functions = declareKubernetesFunctions();
  readonly #implementations: Implementations = kubernetesImplementations();
  readonly observer: RuleObserver;
  #selfTypes = 0;

  constructor(observer: RuleObserver = noRuleObserver) {
    this.observer = observer;
  }

  declTypeOf(props: JSONSchemaProps, isResource: boolean): DeclType | undefined {
    return schemaDeclType(celSchemaOf(props), isResource);
  }

  propertyTypeOf(object: DeclType, name: string): DeclType | undefined {
    const field = escapeField(name);
    return field === undefined ? undefined : object.fields?.get(field);
  }

  *compile(props: JSONSchemaProps, type: DeclType, { costs }: { readonly costs: boolean }): Generator<void, RuleSet> {
    // The name changes, so that no expression can rely on it.
    const self = nameTypes(type, `selfType${this.#selfTypes++}`);
    const environments = this.#environmentsOf(self);
    const sizes = costs ? declTypeSizes(type) : undefined;
    const rules: CompiledRule[] = [];
    let spent = 0;
    for (const rule of props['x-kubernetes-validations'] ?? []) {
      const begun = performance.now();
      rules.push(this.#rule(rule, { props, environments, sizes }));
      spent += performance.now() - begun;
      yield;
    }
    this.observer.compiled(spent / 1_000);
    // A comma separates two values at least.
    const maxCardinality = Math.floor(MAX_REQUEST / (type.minSize + 1));
    return { self, rules, usesOldSelf: rules.some(({ usesOldSelf }) => usesOldSelf), maxCardinality };
  }

  view(value: unknown, type: DeclType): Value {
    return jsonView(value, type);
  }

  optional(value: Value | undefined): Value {
    return value === undefined ? OptionalValue.NONE : OptionalValue.of(value);
  }

  run(program: Program, self: Value, oldSelf: Value | undefined): Evaluation {
    const { result, cost } = program.evaluate([self, oldSelf], MAX_CALL_COST);
    return result instanceof EvaluationError ? { cost, error: result.message } : { cost, value: result };
  }

  #environmentsOf(self: DeclType): Environments {
    const types = declTypeProvider(self);
    const withOldSelf = (oldSelf: CelType) => ({
      functions: this.#functions,
      types,
      variables: new Map([
        ['self', self.type],
        ['oldSelf', oldSelf],
      ]),
    });
    return { always: withOldSelf(self.type), optional: withOldSelf(optionalOf(self.type)) };
  }

  #rule(rule: ValidationRule, { props, environments, sizes }: RuleContext): CompiledRule {
    const none = { rule, usesOldSelf: false, maxCost: 0, messageMaxCost: 0 };
    if (trimSpace(rule.rule) === '') return none;
    const environment = rule.optionalOldSelf === true ? environments.optional : environments.always;
    const checked = parseAndCheck(rule.rule, environment);
    if (checked instanceof ExpressionErrors) return { ...none, error: `compilation failed: ${checked}` };
    if (checked.resultType.kind !== 'bool') return { ...none, error: 'cel expression must evaluate to a bool' };
    const used = { ...none, usesOldSelf: usesOldSelf(checked) };
    const program = this.#program(checked);
    if (program instanceof EvaluationError) {
      return { ...used, error: `program instantiation failed: ${program.message}` };
    }
    const message = this.#message(rule.messageExpression ?? '', environment, sizes);
    // Upstream stops at an unusable expression.
    const fieldPath = 'messageError' in message ? undefined : normalizedFieldPath(rule.fieldPath ?? '', props);
    return {
      ...used,
      program,
      maxCost: costOf(checked, sizes),
      ...message,
      ...(fieldPath !== undefined && { fieldPath }),
    };
  }

  #message(expression: string, environment: CheckEnvironment, sizes: SizeEstimator | undefined) {
    if (expression === '') return {};
    const checked = parseAndCheck(expression, environment);
    if (checked instanceof ExpressionErrors) {
      return { messageError: `messageExpression compilation failed: ${checked}` };
    }
    if (checked.resultType.kind !== 'string') return { messageError: 'messageExpression must evaluate to a string' };
    const program = this.#program(checked);
    return program instanceof EvaluationError
      ? { messageError: `messageExpression instantiation failed: ${program.message}` }
      : { message: program, messageMaxCost: costOf(checked, sizes) };
  }

  #program(checked: CheckedExpression): Program | EvaluationError {
    return compileProgram(checked, { functions: this.#implementations, variables: VARIABLES });
  }
}

function costOf(checked: CheckedExpression, sizes: SizeEstimator | undefined): number {
  return sizes === undefined ? 0 : Number(estimateCost(checked, sizes).max);
}

function usesOldSelf({ references }: CheckedExpression): boolean {
  return references.values().some(({ name }) => name === 'oldSelf');
}
