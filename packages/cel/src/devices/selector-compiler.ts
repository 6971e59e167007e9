import { type CheckedExpression, checkExpression } from '../check/check-expression.js';
import type { CheckEnvironment } from '../check/environment.js';
import { validateLiterals } from '../check/validate-literals.js';
import type { Amount } from '../cost/amount.js';
import { estimateCost } from '../cost/estimate-cost.js';
import { declareKubernetesFunctions } from '../declarations/kubernetes-functions.js';
import { kubernetesImplementations } from '../evaluate/kubernetes-implementations.js';
import { compileProgram } from '../evaluate/program.js';
import { declTypeProvider } from '../kubernetes/decl-type.js';
import { KUBERNETES_SYNTAX } from '../kubernetes/kubernetes-syntax.js';
import { BINDING_MACROS } from '../syntax/macros.js';
import { parseExpression } from '../syntax/parse-expression.js';
import { ExpressionErrors } from '../syntax/source.js';
import type { SyntaxOptions } from '../syntax/syntax-options.js';
import { type CelType, typeString } from '../types/cel-type.js';
import type { Implementations } from '../values/implementation.js';
import { EvaluationError } from '../values/value.js';
import { deviceSizes } from './device-sizes.js';
import { DEVICE } from './device-type.js';

/** The result of compiling a selector: the most that it can cost, or why it is wrong. */
export type CompiledSelector = { readonly maxCost: Amount } | SelectorFault;

/** The reason why a selector is wrong. */
interface SelectorFault {
  readonly error: string;
  /** True for a failure that is not the author's fault. */
  readonly isInternal: boolean;
}

const SYNTAX: SyntaxOptions = {
  ...KUBERNETES_SYNTAX,
  macros: new Map([...KUBERNETES_SYNTAX.macros, ...BINDING_MACROS]),
};

/**
 * Compiles new selectors of devices.
 *
 * Upstream: compiler in k8s.io/dynamic-resource-allocation/cel/compile.go
 */
export class SelectorCompiler {
  readonly #environment: CheckEnvironment = {
    functions: declareKubernetesFunctions(),
    types: declTypeProvider(DEVICE),
    variables: new Map([['device', DEVICE.type]]),
  };
  readonly #implementations: Implementations = kubernetesImplementations();

  compile(expression: string): CompiledSelector {
    const checked = this.#check(expression);
    if (checked instanceof ExpressionErrors) return fault(`compilation failed: ${checked}`);
    if (!isSelecting(checked.resultType)) {
      return fault(`must evaluate to bool or the unknown type, not ${typeString(checked.resultType)}`);
    }
    const program = compileProgram(checked, {
      functions: this.#implementations,
      variables: ['device'],
      structs: (name) => (name === DEVICE.type.name ? () => noValue(name) : undefined),
    });
    if (program instanceof EvaluationError) {
      return { error: `program instantiation failed: ${program.message}`, isInternal: true };
    }
    return { maxCost: estimateCost(checked, deviceSizes).max };
  }

  #check(expression: string): CheckedExpression | ExpressionErrors {
    const parsed = parseExpression(expression, SYNTAX);
    if (parsed instanceof ExpressionErrors) return parsed;
    const checked = checkExpression(parsed, this.#environment);
    return checked instanceof ExpressionErrors ? checked : (validateLiterals(checked) ?? checked);
  }
}

/** True for the types that a selector may have: an attribute is of any type, and can be a bool. */
function isSelecting({ kind }: CelType): boolean {
  return kind === 'bool' || kind === 'any';
}

/** A device that an expression makes is of the right type, but nothing makes its value. */
function noValue(typeName: string): EvaluationError {
  return new EvaluationError(`unknown type '${typeName}'`);
}

function fault(error: string): SelectorFault {
  return { error, isInternal: false };
}
