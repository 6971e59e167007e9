import type { CheckedExpression } from '../check/check-expression.js';
import type { CheckEnvironment } from '../check/environment.js';
import { declareKubernetesFunctions } from '../declarations/kubernetes-functions.js';
import { kubernetesImplementations } from '../evaluate/kubernetes-implementations.js';
import { compileProgram, type Program } from '../evaluate/program.js';
import { type DeclType, declTypeProvider } from '../kubernetes/decl-type.js';
import { ExpressionErrors } from '../syntax/source.js';
import { type CelType, isSameType, typeString } from '../types/cel-type.js';
import type { Implementations } from '../values/implementation.js';
import { EvaluationError } from '../values/value.js';
import { parseAndCheck } from './parse-and-check.js';

/**
 * A compiled expression; evaluate its program with values in the order of the variables. Or the reason why it is wrong.
 */
export type CompiledExpression = { readonly program: Program; readonly checked: CheckedExpression } | ExpressionFault;

/** The reason why an expression is wrong. */
export interface ExpressionFault {
  readonly error: string;
  /** True for a failure that is not the author's fault. */
  readonly isInternal: boolean;
}

/**
 * Compiles expressions of configuration files over declared variables, with Kubernetes' functions.
 *
 * Upstream: compile.go in k8s.io/apiserver/pkg/authorization/cel and k8s.io/apiserver/pkg/authentication/cel
 */
export class ExpressionCompiler {
  readonly #environment: CheckEnvironment;
  readonly #implementations: Implementations = kubernetesImplementations();
  readonly #names: readonly string[];

  constructor(variables: ReadonlyMap<string, DeclType>) {
    this.#names = [...variables.keys()];
    this.#environment = {
      functions: declareKubernetesFunctions(),
      types: declTypeProvider(...variables.values()),
      variables: new Map([...variables].map(([name, { type }]) => [name, type])),
    };
  }

  /** `results` are the types that the expression may have. */
  compile(expression: string, results: readonly CelType[]): CompiledExpression {
    const checked = parseAndCheck(expression, this.#environment);
    if (checked instanceof ExpressionErrors) return { error: `compilation failed: ${checked}`, isInternal: false };
    if (results.every((result) => !isSameType(checked.resultType, result))) {
      const [only] = results;
      const expected =
        results.length === 1 && only !== undefined
          ? `${typeString(only)} but got ${typeString(checked.resultType)}`
          : `one of [${results.map(typeString).join(' ')}]`;
      return { error: `must evaluate to ${expected}`, isInternal: false };
    }
    const program = compileProgram(checked, {
      functions: this.#implementations,
      variables: this.#names,
    });
    if (!(program instanceof EvaluationError)) return { program, checked };
    return { error: `program instantiation failed: ${program.message}`, isInternal: true };
  }
}
