import { checkExpression } from '../check/check-expression.js';
import { declareKubernetesFunctions } from '../declarations/kubernetes-functions.js';
import { kubernetesImplementations } from '../evaluate/kubernetes-implementations.js';
import { compileProgram } from '../evaluate/program.js';
import { declTypeProvider } from '../kubernetes/decl-type.js';
import { KUBERNETES_SYNTAX } from '../kubernetes/kubernetes-syntax.js';
import { valueText } from '../libraries/strings/value-text.js';
import { parseExpression } from '../syntax/parse-expression.js';
import { ExpressionErrors } from '../syntax/source.js';
import { DYN } from '../types/cel-type.js';
import { EvaluationError, type Value } from '../values/value.js';

const functions = declareKubernetesFunctions();
const implementations = kubernetesImplementations();

/** Above all costs of tests. */
const NO_LIMIT = 1e12;

/** Evaluates an expression with dynamic variables. Gives the text of its value, or its error, and the cost. */
export function evaluateText(
  text: string,
  variables: Readonly<Record<string, Value>> = {},
): readonly [result: string, cost: number] {
  const parsed = parseExpression(text, KUBERNETES_SYNTAX);
  if (parsed instanceof ExpressionErrors) throw parsed;
  const types = new Map(Object.keys(variables).map((name) => [name, DYN]));
  const checked = checkExpression(parsed, { functions, variables: types, types: declTypeProvider() });
  if (checked instanceof ExpressionErrors) throw new TypeError(checked.toString());
  const program = compileProgram(checked, { functions: implementations, variables: Object.keys(variables) });
  if (program instanceof EvaluationError) return [`program error: ${program.message}`, 0];
  const { result, cost } = program.evaluate(Object.values(variables), NO_LIMIT);
  return [result instanceof EvaluationError ? `error: ${result.message}` : valueText(result), cost];
}
