import {
  type CheckEnvironment,
  claimsType,
  compileProgram,
  type DeclType,
  declareKubernetesFunctions,
  declTypeProvider,
  EvaluationError,
  type Expression,
  ExpressionErrors,
  kubernetesImplementations,
  MAX_CALL_COST,
  type Program,
  parseAndCheck,
  userInfoType,
  type Value,
} from '@apiserver/cel';
import { TokenError } from '../../token-error.js';

/** The variable that an expression reads. */
export type ExpressionVariable = 'claims' | 'user';

/** A compiled expression. */
export interface CompiledExpression {
  readonly text: string;
  readonly root: Expression;
  readonly program: Program;
}

/** The reason why an expression is wrong. */
export interface ExpressionFault {
  readonly error: string;
  /** True for a failure that is not the author's fault. */
  readonly isInternal: boolean;
}

/**
 * Compiles the expressions of issuers.
 * Upstream: k8s.io/apiserver/pkg/authentication/cel/compile.go
 */
export class ExpressionCompiler {
  readonly #functions = declareKubernetesFunctions();
  readonly #implementations = kubernetesImplementations();
  readonly #environments = {
    claims: this.#environment('claims', claimsType()),
    user: this.#environment('user', userInfoType()),
  };

  /** `isCondition`: the result must be a bool; otherwise it may be of any type, which the evaluation finds out. */
  compile(text: string, variable: ExpressionVariable, isCondition: boolean): CompiledExpression | ExpressionFault {
    const checked = parseAndCheck(text, this.#environments[variable]);
    if (checked instanceof ExpressionErrors) return { error: `compilation failed: ${checked}`, isInternal: false };
    if (isCondition && checked.resultType.kind !== 'bool') return { error: 'must evaluate to bool', isInternal: false };
    const program = compileProgram(checked, { functions: this.#implementations, variables: [variable] });
    if (program instanceof EvaluationError) {
      return { error: `program instantiation failed: ${program.message}`, isInternal: true };
    }
    return { text, root: checked.root, program };
  }

  #environment(variable: ExpressionVariable, decl: DeclType): CheckEnvironment {
    return {
      functions: this.#functions,
      types: declTypeProvider(decl),
      variables: new Map([[variable, decl.type]]),
    };
  }
}

/** Evaluates with the value of the variable. Throws an Error with upstream's message. */
export function evaluate({ text, program }: CompiledExpression, value: Value): Value {
  const { result } = program.evaluate([value], MAX_CALL_COST);
  if (!(result instanceof EvaluationError)) return result;
  throw new TokenError(`expression '${text}' resulted in error: ${result.message}`);
}
