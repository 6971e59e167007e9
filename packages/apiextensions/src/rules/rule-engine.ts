import type { JSONSchemaProps, ValidationRule } from '@apiserver/api/apiextensions/v1';
import type { DeclType } from '@apiserver/cel';

/** A rule whose expressions are read. Errors are details of field errors. */
export interface CheckedRule {
  readonly error?: string;
  readonly messageError?: string;
  readonly usesOldSelf: boolean;
}

/** Reads and runs the expressions of rules. */
export interface RuleEngine {
  /** The type of a schema's values; undefined for values that expressions can't see. */
  declTypeOf(props: JSONSchemaProps, isResource: boolean): DeclType | undefined;
  /** The type of a property in the type of its object; undefined if expressions can't select it. */
  propertyTypeOf(object: DeclType, name: string): DeclType | undefined;
  /** Reads rules about values of a type, in their order. Nothing is known about a rule without an expression. */
  check(rules: readonly ValidationRule[], self: DeclType, selfName: string): readonly (CheckedRule | undefined)[];
}

/** Loads the engine, which takes megabytes: a server without rules never does. */
export async function loadRuleEngine(): Promise<RuleEngine> {
  const { newCelRuleEngine } = await import('./cel-rule-engine.js');
  return newCelRuleEngine();
}

/** Stands for the engine of schemas without rules. */
export const NO_RULE_ENGINE: RuleEngine = {
  declTypeOf: notLoaded,
  propertyTypeOf: notLoaded,
  check: notLoaded,
};

function notLoaded(): never {
  throw new TypeError('the engine is loaded before rules are read');
}
