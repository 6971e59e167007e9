import { appendAll, type FieldError } from '@apiserver/apimachinery/field';
import { type DeclaredDefault, declaredDefaults } from '../schema/declared-defaults.js';
import { hasRules } from './has-rules.js';
import type { RuleEngine } from './rule-engine.js';
import { RuleNode } from './rule-node.js';
import { OBJECT_BUDGET, RuleRun } from './rule-run.js';
import { type SchemaWithRules, validateExpressions } from './validate-expressions.js';

/**
 * Finds faults of the rules in a definition's schemas: defaults that break rules, then faults of expressions. Yields
 * where other work may come between.
 *
 * Upstream: validateCustomResourceDefinitionValidation of
 * k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation
 */
export function* validateDefinitionRules(
  schemas: readonly SchemaWithRules[],
  engine: RuleEngine,
): Generator<void, FieldError[]> {
  const errors: FieldError[] = [];
  for (const schema of schemas) {
    const defaults = yield* brokenDefaults(schema, engine);
    appendAll(errors, defaults);
    if (schema.areDefaultsSound && defaults.length === 0) appendAll(errors, yield* validateExpressions(schema, engine));
  }
  return errors;
}

function* brokenDefaults(
  { props, at, faultyDefaults }: SchemaWithRules,
  engine: RuleEngine,
): Generator<void, FieldError[]> {
  const errors: FieldError[] = [];
  let budget = OBJECT_BUDGET;
  for (const declared of declaredDefaults(props, at)) {
    if (budget < 0 || !hasRules(declared.props) || faultyDefaults.has(declared.declaring)) continue;
    const run = yield* brokenRules(declared, engine, budget);
    appendAll(errors, run.errors);
    budget = run.budget;
  }
  return errors;
}

/** Errors of rules about a default, as one that stays and as a new one. `budget` is the most that they cost. */
function* brokenRules(
  { props, at }: DeclaredDefault,
  engine: RuleEngine,
  budget: number,
): Generator<void, Pick<RuleRun, 'errors' | 'budget'>> {
  const node = RuleNode.root(props, props['x-kubernetes-embedded-resource'] === true, engine);
  const value = props.default;
  const place = { value, at, correlation: undefined, nearest: undefined };
  const staying = new RuleRun(engine, budget, () => {});
  yield* staying.visit(node, { ...place, old: value });
  if (staying.errors.length > 0) return staying;
  const added = new RuleRun(engine, budget, () => {});
  yield* added.visit(node, { ...place, old: undefined });
  return { errors: added.errors, budget: Math.min(staying.budget, added.budget) };
}
