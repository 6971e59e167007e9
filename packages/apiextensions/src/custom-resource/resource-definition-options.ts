import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import type { CompilePattern } from '@apiserver/apimachinery/patterns';
import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import type { RuleEngine } from '../rules/rule-engine.js';

/** Input of `resourceDefinitionsOf`. */
export interface ResourceDefinitionOptions {
  readonly crd: CustomResourceDefinition;
  readonly compilePattern: CompilePattern;
  /** Loads the engine of rules, for the first object with any. */
  readonly loadEngine: () => Promise<RuleEngine>;
  /** Called on every create. */
  readonly isTerminating: () => boolean;
  /** See ResourceDefinition. */
  readonly convert?: AnyResourceDefinition['convert'] | undefined;
}

/** The options, and whether the versions differ in more than their names: finding that out compares their schemas. */
export interface ConversionAwareOptions extends ResourceDefinitionOptions {
  readonly isConverted: boolean;
}
