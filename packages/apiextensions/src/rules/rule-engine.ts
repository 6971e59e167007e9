import type { JSONSchemaProps, ValidationRule } from '@apiserver/api/apiextensions/v1';
import type { DeclType, Program, Value } from '@apiserver/cel';
import type { RuleObserver } from './rule-metrics.js';

/** A rule whose expressions are read. Errors are details of field errors. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly usesOldSelf: boolean;
  /** The reason why the rule cannot run. */
  readonly error?: string;
  /** Undefined for a rule that is wrong, or blank. */
  readonly program?: Program;
  readonly messageError?: string;
  /** Undefined for a rule without a message expression, or with a wrong one. */
  readonly message?: Program;
  /** The path of the field that the rule is about, below that of its own value. */
  readonly fieldPath?: string;
  /** Most that the rule costs for one value, and its message; 0 if that was not asked for. */
  readonly maxCost: number;
  readonly messageMaxCost: number;
}

/** The rules of one schema, in their order. */
export interface RuleSet {
  /** The type of `self`. */
  readonly self: DeclType;
  readonly rules: readonly CompiledRule[];
  /** True if any rule uses `oldSelf`: only then its messages may. */
  readonly usesOldSelf: boolean;
  /** The most values of the schema that a request has room for. */
  readonly maxCardinality: number;
}

/** The result of a program: `value` is undefined after an error. */
export interface Evaluation {
  readonly cost: number;
  readonly value?: Value;
  readonly error?: string;
}

/** Reads and runs the expressions of rules. */
export interface RuleEngine {
  readonly observer: RuleObserver;
  /** The type of a schema's values; undefined for values that expressions can't see. */
  declTypeOf(props: JSONSchemaProps, isResource: boolean): DeclType | undefined;
  /** The type of a property in the type of its object; undefined if expressions can't select it. */
  propertyTypeOf(object: DeclType, name: string): DeclType | undefined;
  /**
   * Reads a schema's own rules, and estimates their costs if asked to. `self` is the type of its values. Yields after
   * each rule.
   */
  compile(props: JSONSchemaProps, self: DeclType, options: { readonly costs: boolean }): Generator<void, RuleSet>;
  /** A value of an object as expressions see it. Nothing is copied. */
  view(value: unknown, type: DeclType): Value;
  /** An optional value; none for undefined. */
  optional(value: Value | undefined): Value;
  /** Runs a program, as far as the limit of a call allows. */
  run(program: Program, self: Value, oldSelf: Value | undefined): Evaluation;
}
