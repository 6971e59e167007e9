import type { DeviceSelector } from '@apiserver/api/resource/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { inSlices } from '@apiserver/apimachinery/clock';
import {
  type FieldError,
  type FieldPath,
  fieldForbidden,
  fieldInternal,
  fieldInvalid,
  fieldTooLong,
} from '@apiserver/apimachinery/field';
import { byteLength } from '@apiserver/apimachinery/validation';
import type { FeatureGates } from '@apiserver/apiserver-contracts';
import type { CompiledSelector, SelectorCompiler } from '@apiserver/cel';

/** Maximum number of selectors of a class or request. */
export const MAX_SELECTORS = 32;

const MAX_EXPRESSION_BYTES = 10 * 1024;
/** Upstream: CELSelectorExpressionMaxCost of k8s.io/api/resource/v1/types.go */
const MAX_COST = 1_000_000;

/** Validates the expression of a selector. */
export type CheckExpression = (expression: string, path: FieldPath) => FieldError[];

/** The selectors of a class or request. */
export type SelectorList = readonly DeviceSelector[] | undefined;

type CompiledSelectors = ReadonlyMap<string, CompiledSelector>;

/**
 * Compiles the selectors of objects before their validation, which is synchronous.
 *
 * Upstream: validateCELSelector of pkg/apis/resource/validation/validation.go
 */
export class SelectorChecks<T extends KubeObject> {
  readonly #compiled = new WeakMap<T, CompiledSelectors>();
  readonly #features: FeatureGates;
  #compiler: SelectorCompiler | undefined;

  constructor(features: FeatureGates) {
    this.#features = features;
  }

  /** Compiles the selectors of an object, in several turns of the event loop if they are many. */
  prepare(object: T, lists: readonly SelectorList[]): void | Promise<void> {
    const expressions = new Set(lists.flatMap(expressionsIn));
    if (expressions.size > 0) return this.#compile(object, expressions);
  }

  /** The check for a prepared object. */
  of(object: T): CheckExpression {
    return (expression, path) => {
      const tooLong = checkStored(expression, path);
      if (tooLong.length > 0) return tooLong;
      const compiled = this.#compiled.get(object)?.get(expression);
      if (compiled === undefined) throw new TypeError('a selector is validated that was not compiled');
      return errorsOf(compiled, expression, path);
    };
  }

  async #compile(object: T, expressions: ReadonlySet<string>): Promise<void> {
    this.#compiler ??= await loadSelectorCompiler(this.#features);
    this.#compiled.set(object, await inSlices(compileEach(expressions, this.#compiler)));
  }
}

/** Validates an expression that is stored: it was compiled before. */
export function checkStored(expression: string, path: FieldPath): FieldError[] {
  return isTooLong(expression) ? [fieldTooLong(path, MAX_EXPRESSION_BYTES)] : [];
}

/** The expressions in a list to compile: none if validation refuses the list for its length. */
function expressionsIn(selectors: SelectorList): string[] {
  if (selectors === undefined || selectors.length > MAX_SELECTORS) return [];
  return selectors.flatMap(({ cel }) => (cel === undefined || isTooLong(cel.expression) ? [] : [cel.expression]));
}

/** Loads the engine, which takes megabytes: a server without selectors never does. */
async function loadSelectorCompiler(features: FeatureGates): Promise<SelectorCompiler> {
  const { newSelectorCompiler } = await import('./selector-engine.js');
  return newSelectorCompiler({
    consumableCapacity: features.enabled('DRAConsumableCapacity'),
    listTypeAttributes: features.enabled('DRAListTypeAttributes'),
  });
}

function* compileEach(
  expressions: ReadonlySet<string>,
  compiler: SelectorCompiler,
): Generator<void, CompiledSelectors> {
  const compiled = new Map<string, CompiledSelector>();
  for (const expression of expressions) {
    compiled.set(expression, compiler.compile(expression));
    yield;
  }
  return compiled;
}

function isTooLong(expression: string): boolean {
  return byteLength(expression) > MAX_EXPRESSION_BYTES;
}

function errorsOf(compiled: CompiledSelector, expression: string, path: FieldPath): FieldError[] {
  if ('error' in compiled) {
    const { error, isInternal } = compiled;
    return [isInternal ? fieldInternal(path, new Error(error)) : fieldInvalid(path, expression, error)];
  }
  return compiled.maxCost > MAX_COST ? [fieldForbidden(path, 'too complex, exceeds cost limit')] : [];
}
