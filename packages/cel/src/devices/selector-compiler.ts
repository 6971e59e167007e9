import { declareFunctions } from '../check/declarations.js';
import type { CheckEnvironment } from '../check/environment.js';
import { parseAndCheck } from '../compile/parse-and-check.js';
import type { Amount } from '../cost/amount.js';
import type { SizeEstimator } from '../cost/decl-type-sizes.js';
import { estimateCost } from '../cost/estimate-cost.js';
import { declareKubernetesFunctions } from '../declarations/kubernetes-functions.js';
import { kubernetesImplementations } from '../evaluate/kubernetes-implementations.js';
import { compileProgram } from '../evaluate/program.js';
import { declTypeProvider } from '../kubernetes/decl-type.js';
import { KUBERNETES_SYNTAX } from '../kubernetes/kubernetes-syntax.js';
import { BINDING_MACROS } from '../syntax/macros.js';
import { ExpressionErrors } from '../syntax/source.js';
import type { SyntaxOptions } from '../syntax/syntax-options.js';
import { type CelType, typeString } from '../types/cel-type.js';
import type { Implementations } from '../values/implementation.js';
import { EvaluationError } from '../values/value.js';
import { deviceSizes } from './device-sizes.js';
import { type DeviceFeatures, deviceTypeOf } from './device-type.js';
import { INCLUDES, INCLUDES_IMPLEMENTATIONS } from './includes.js';

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
  readonly #features: DeviceFeatures;
  readonly #environment: CheckEnvironment;
  readonly #implementations: Implementations = { ...kubernetesImplementations(), ...INCLUDES_IMPLEMENTATIONS };
  readonly #sizes: SizeEstimator;

  constructor(features: DeviceFeatures) {
    this.#features = features;
    const device = deviceTypeOf(features);
    this.#sizes = deviceSizes(device);
    this.#environment = {
      functions: features.listTypeAttributes
        ? new Map([...declareKubernetesFunctions(), ...declareFunctions(INCLUDES)])
        : declareKubernetesFunctions(),
      types: declTypeProvider(device.variable),
      variables: new Map([['device', device.variable.type]]),
    };
  }

  compile(expression: string): CompiledSelector {
    const checked = parseAndCheck(expression, this.#environment, SYNTAX);
    if (checked instanceof ExpressionErrors) return fault(`compilation failed: ${checked}`);
    if (!isSelecting(checked.resultType, this.#features)) {
      return fault(`must evaluate to bool or the unknown type, not ${typeString(checked.resultType)}`);
    }
    const program = compileProgram(checked, {
      functions: this.#implementations,
      variables: ['device'],
    });
    if (program instanceof EvaluationError) {
      return { error: `program instantiation failed: ${program.message}`, isInternal: true };
    }
    return { maxCost: estimateCost(checked, this.#sizes).max };
  }
}

/** True for the types that a selector may have: an attribute is of any type, and can be a bool. */
function isSelecting({ kind }: CelType, { listTypeAttributes }: DeviceFeatures): boolean {
  return kind === 'bool' || kind === 'any' || (listTypeAttributes && kind === 'dyn');
}

function fault(error: string): SelectorFault {
  return { error, isInternal: false };
}
