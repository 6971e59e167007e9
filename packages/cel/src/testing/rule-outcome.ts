import { parseAndCheck } from '../compile/parse-and-check.js';
import { declTypeSizes } from '../cost/decl-type-sizes.js';
import { estimateCost } from '../cost/estimate-cost.js';
import { declareKubernetesFunctions } from '../declarations/kubernetes-functions.js';
import { kubernetesImplementations } from '../evaluate/kubernetes-implementations.js';
import { compileProgram } from '../evaluate/program.js';
import { type DeclType, declTypeProvider, nameTypes } from '../kubernetes/decl-type.js';
import { type CelSchema, schemaDeclType } from '../kubernetes/schema-decl-type.js';
import { ExpressionErrors } from '../syntax/source.js';
import { optionalOf, typeString } from '../types/cel-type.js';
import { EvaluationError, OptionalValue, type Value } from '../values/value.js';
import { jsonView } from '../views/json-view.js';
import { type RecordedValue, recordedValue } from './recorded-value.js';

/** Most cost of a rule. */
const RULE_LIMIT = 1_000_000;

/** A rule of a schema and the values that it reads. */
export interface RuleCase {
  readonly schema: CelSchema;
  readonly expression: string;
  /** JSON as the server parses it: integers beyond the safe ones are bigint. */
  readonly self: unknown;
  /** Undefined if there is none. */
  readonly oldSelf?: unknown;
  readonly optionalOldSelf?: boolean;
  /** True if the schema is that of a resource. */
  readonly resourceRoot?: boolean;
}

/** All results of a rule: of the compilation, and of the evaluation. Costs are decimal. */
export interface RuleOutcome {
  readonly compileError?: string;
  readonly type?: string;
  readonly estimatedCost?: { readonly min: string; readonly max: string };
  readonly programError?: string;
  readonly value?: RecordedValue;
  readonly error?: string;
  readonly cost?: string;
}

const functions = declareKubernetesFunctions();
const implementations = kubernetesImplementations();
const types = new WeakMap<CelSchema, DeclType>();

/** Compiles and evaluates a rule. Throws TypeError for a schema without a type. */
export function ruleOutcome({
  schema,
  expression,
  self,
  oldSelf,
  optionalOldSelf = false,
  ...one
}: RuleCase): RuleOutcome {
  const decl = typeOf(schema, one.resourceRoot === true);
  const variables = new Map([
    ['self', decl.type],
    ['oldSelf', optionalOldSelf ? optionalOf(decl.type) : decl.type],
  ]);
  const checked = parseAndCheck(expression, { functions, variables, types: declTypeProvider(decl) });
  if (checked instanceof ExpressionErrors) return { compileError: checked.toString() };
  const { min, max } = estimateCost(checked, declTypeSizes(decl));
  const compiled = { type: typeString(checked.resultType), estimatedCost: { min: String(min), max: String(max) } };
  const program = compileProgram(checked, { functions: implementations, variables: ['self', 'oldSelf'] });
  if (program instanceof EvaluationError) return { ...compiled, programError: program.message };
  const old = oldSelf === undefined ? undefined : jsonView(oldSelf, decl);
  const bound = optionalOldSelf ? optionalValue(old) : old;
  const { result, cost } = program.evaluate([jsonView(self, decl), bound], RULE_LIMIT);
  if (result instanceof EvaluationError) return { ...compiled, error: result.message, cost: String(cost) };
  return { ...compiled, value: recordedValue(result), cost: String(cost) };
}

function typeOf(schema: CelSchema, resourceRoot: boolean): DeclType {
  const known = types.get(schema);
  if (known !== undefined) return known;
  const decl = schemaDeclType(schema, resourceRoot);
  if (decl === undefined) throw new TypeError('the schema has no type');
  const named = nameTypes(decl, 'selfTypeN');
  types.set(schema, named);
  return named;
}

function optionalValue(value: Value | undefined): Value {
  return value === undefined ? OptionalValue.NONE : OptionalValue.of(value);
}
