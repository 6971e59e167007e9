import { parseAndCheck } from '../compile/parse-and-check.js';
import { UNKNOWN_SIZES } from '../cost/decl-type-sizes.js';
import { estimateCost } from '../cost/estimate-cost.js';
import { compileProgram } from '../evaluate/program.js';
import { ExpressionErrors } from '../syntax/source.js';
import { typeString } from '../types/cel-type.js';
import { EvaluationError } from '../values/value.js';
import { type RecordedAuthorizer, recordedDecision } from './recorded-authorizer.js';
import { type PolicyInput, policyBindings, programEnvironment, RULE_LIMIT } from './recorded-results.js';
import { recordedValue } from './recorded-value.js';
import type { RuleOutcome } from './rule-outcome.js';

/** An expression of a policy, and the values of its variables. */
export interface PolicyExpression {
  readonly expression: string;
  /** True for an expression that may make objects and patches. */
  readonly mutation: boolean;
  readonly values: Readonly<Record<string, unknown>>;
  readonly authorizer: RecordedAuthorizer;
}

/** Compiles and evaluates an expression of a policy. */
export function policyOutcome({ expression, mutation, values: given, authorizer }: PolicyExpression): RuleOutcome {
  const input: PolicyInput = { ...given, authorizer };
  const { environment, values, decisions } = policyBindings(input, mutation);
  const checked = parseAndCheck(expression, environment);
  if (checked instanceof ExpressionErrors) return { compileError: checked.toString() };
  const { min, max } = estimateCost(checked, UNKNOWN_SIZES);
  const compiled = { type: typeString(checked.resultType), estimatedCost: { min: String(min), max: String(max) } };
  const program = compileProgram(checked, { ...programEnvironment(values), rereadsJson: true });
  if (program instanceof EvaluationError) return { ...compiled, programError: program.message };
  for (;;) {
    const { result, cost } = program.evaluate([...values.values()], RULE_LIMIT);
    const { open } = decisions;
    if (open !== undefined) decisions.settle(recordedDecision(authorizer, open));
    else if (result instanceof EvaluationError) return { ...compiled, error: result.message, cost: String(cost) };
    else return { ...compiled, value: recordedValue(result), cost: String(cost) };
  }
}
