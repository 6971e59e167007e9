import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { inSlices } from '@apiserver/apimachinery/clock';
import { type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import type { ValueValidation } from '@apiserver/apimachinery/schema';
import { Correlation } from './correlation.js';
import type { RuleEngine } from './rule-engine.js';
import { RuleNode } from './rule-node.js';
import { OBJECT_BUDGET, RuleRun } from './rule-run.js';

/** Rules may rely on what these errors are about. */
const BLOCKING: ReadonlySet<FieldError['type']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
] as const);
const UNCHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** An object to check. */
interface ObjectToCheck {
  readonly object: KubeObject;
  /** Undefined for a new object. */
  readonly old: KubeObject | undefined;
  /** The errors that are known of it. */
  readonly errors: readonly FieldError[];
  readonly warn: (message: string) => void;
}

/** Input of `objectRules`. */
export interface ObjectRulesOptions {
  readonly props: JSONSchemaProps;
  /** The schema by which old values are found. */
  readonly validation: () => ValueValidation;
  readonly loadEngine: () => Promise<RuleEngine>;
}

/** Checks an object by the rules of its version. Long work takes several event loop turns. */
export type CheckObject = (checked: ObjectToCheck) => readonly FieldError[] | Promise<readonly FieldError[]>;

/**
 * The rules of a version. The engine is loaded, and rules are compiled, for the first object.
 *
 * Upstream: Validate and ValidateUpdate of k8s.io/apiextensions-apiserver/pkg/registry/customresource/strategy.go
 */
export function objectRules({ props, validation, loadEngine }: ObjectRulesOptions): CheckObject {
  let ready: { readonly engine: RuleEngine; readonly root: RuleNode } | undefined;
  const load = async () => {
    const engine = await loadEngine();
    ready ??= { engine, root: RuleNode.root(props, true, engine) };
    return ready;
  };
  const check: CheckObject = (checked) => {
    if (checked.errors.some(({ type }) => BLOCKING.has(type))) return [fieldInvalid(FieldPath.none, null, UNCHECKED)];
    if (ready === undefined) return load().then(() => check(checked));
    const { object, old, warn } = checked;
    const run = new RuleRun(ready.engine, OBJECT_BUDGET, warn);
    const correlation = old && new Correlation(object, { value: old, schema: validation() });
    const place = { value: object, old, at: FieldPath.none, correlation, nearest: undefined };
    return inSlices(errorsOf(run, run.visit(ready.root, place), ready.engine));
  };
  return check;
}

function* errorsOf(
  run: RuleRun,
  steps: Generator<void, void>,
  { observer }: RuleEngine,
): Generator<void, readonly FieldError[]> {
  const begun = performance.now();
  yield* steps;
  observer.evaluated((performance.now() - begun) / 1_000);
  return run.errors;
}
