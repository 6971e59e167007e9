import { PolicyCompiler, type SharedEnvironment } from '@apiserver/cel';
import type { WrittenVariable } from '../../expressions/activation.js';
import { compileExpressions } from '../../expressions/compile-expressions.js';
import { MatchConditions, type MatchConditionsObserver } from '../../matching/match-conditions.js';
import type { AnyPolicy } from './policy-hook.js';

/** The parts that policies of both kinds compile to. */
export interface CompiledParts {
  readonly compiler: PolicyCompiler;
  readonly variables: readonly WrittenVariable[];
  readonly conditions: MatchConditions;
}

/** Dependencies of compilation. */
export interface CompileDependencies {
  readonly environment: SharedEnvironment;
  /** Counts the match conditions of a policy. */
  conditionsObserver?(policy: string): MatchConditionsObserver;
}

/**
 * Compiles the variables and match conditions of a policy, in steps. Wrong expressions fail when they are evaluated.
 * Upstream: compilePolicy of k8s.io/apiserver/pkg/admission/plugin/policy
 */
export function* compileParts(
  policy: AnyPolicy,
  { environment, conditionsObserver }: CompileDependencies,
): Generator<void, CompiledParts> {
  const { paramKind, variables = [], matchConditions = [], failurePolicy } = policy.spec;
  const compiler = new PolicyCompiler(environment, { params: paramKind !== undefined, variables: true });
  const written: WrittenVariable[] = [];
  for (const { name, expression } of variables) {
    written.push({ name, compiled: yield* compiler.declareVariableSteps(name, expression) });
    yield;
  }
  const texts = matchConditions.map(({ expression }) => expression);
  const observer = conditionsObserver?.(policy.metadata.name ?? '');
  const conditions = new MatchConditions({
    conditions: yield* compileExpressions(compiler, texts, 'condition'),
    failurePolicy: failurePolicy === 'Ignore' ? 'Ignore' : 'Fail',
    variables: written,
    ...(observer === undefined ? {} : { observer }),
  });
  return { compiler, variables: written, conditions };
}

/**
 * Cost that the expressions of one kind share in one call.
 * Upstream: RuntimeCELCostBudget in k8s.io/apiserver/pkg/apis/cel
 */
export const CALL_BUDGET = 10_000_000;
