import type { KubeObject } from '@apiserver/apimachinery';
import { inSlices } from '@apiserver/apimachinery/clock';
import { type FieldError, type FieldPath, fieldInternal, fieldInvalid } from '@apiserver/apimachinery/field';
import { trimSpace } from '@apiserver/apimachinery/text';
import type { ExpressionPurpose, PolicyFault } from '@apiserver/cel';
import type { PolicyEngine } from './policy-engine.js';

/** An expression of a policy or webhook. */
export interface AdmissionExpression {
  readonly path: FieldPath;
  readonly text: string;
  readonly purpose: ExpressionPurpose;
  /** The name of the variable that the expression defines. */
  readonly variable?: string;
  /** The text in messages. Default: `text`. */
  readonly shown?: string;
  /** True for a match condition: it cannot read the variables of its policy. */
  readonly stateless?: boolean;
}

/** The variables that the expressions of an object may read. */
export interface ExpressionScope {
  readonly params: boolean;
  readonly variables: boolean;
}

/** The errors of the expression at a path. */
export type CheckAt = (path: FieldPath) => readonly FieldError[];

/**
 * Compiles the expressions of objects before their validation, which is synchronous.
 *
 * Upstream: validateCELCondition of pkg/apis/admissionregistration/validation/validation.go
 */
export class ExpressionChecks<T extends KubeObject> {
  readonly #errors = new WeakMap<T, ReadonlyMap<string, FieldError>>();
  #engine: PolicyEngine | undefined;

  /** Compiles the expressions of an object in their order, in several turns of the event loop if they are many. */
  prepare(object: T, expressions: readonly AdmissionExpression[], scope: ExpressionScope): void | Promise<void> {
    if (expressions.length > 0) return this.#compile(object, expressions, scope);
    this.#errors.set(object, new Map());
  }

  /** The check for a prepared object. */
  of(object: T): CheckAt {
    const errors = this.#errors.get(object);
    if (errors === undefined) throw new TypeError('an object is validated whose expressions were not compiled');
    return (path) => {
      const error = errors.get(String(path));
      return error === undefined ? [] : [error];
    };
  }

  async #compile(object: T, expressions: readonly AdmissionExpression[], scope: ExpressionScope): Promise<void> {
    this.#engine ??= await loadPolicyEngine();
    this.#errors.set(object, await inSlices(compileEach(expressions, this.#engine, scope)));
  }
}

/** Reports whether a text has nothing but white space. */
export function isBlank(text: string): boolean {
  return trimSpace(text) === '';
}

/** Loads the engine, which takes megabytes: a server without policies never does. */
async function loadPolicyEngine(): Promise<PolicyEngine> {
  const { PolicyEngine } = await import('./policy-engine.js');
  return new PolicyEngine();
}

function* compileEach(
  expressions: readonly AdmissionExpression[],
  engine: PolicyEngine,
  scope: ExpressionScope,
): Generator<void, ReadonlyMap<string, FieldError>> {
  const compiler = engine.compiler(scope);
  const stateless = scope.variables ? engine.compiler({ ...scope, variables: false }) : compiler;
  const errors = new Map<string, FieldError>();
  for (const expression of expressions) {
    const { path, text, purpose, variable } = expression;
    const compiled =
      variable === undefined
        ? yield* (expression.stateless ? stateless : compiler).compileSteps(text, purpose)
        : yield* compiler.declareVariableSteps(variable, text);
    if ('error' in compiled) errors.set(String(path), errorOf(compiled, expression));
    yield;
  }
  return errors;
}

function errorOf({ error, isInternal }: PolicyFault, { path, text, shown = text }: AdmissionExpression): FieldError {
  return isInternal ? fieldInternal(path, new Error(error)) : fieldInvalid(path, shown, error);
}
