import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkExpression } from '../check/check-expression.js';
import { declareKubernetesFunctions } from '../declarations/kubernetes-functions.js';
import { kubernetesImplementations } from '../evaluate/kubernetes-implementations.js';
import { compileProgram } from '../evaluate/program.js';
import { declTypeProvider } from '../kubernetes/decl-type.js';
import { KUBERNETES_SYNTAX } from '../kubernetes/kubernetes-syntax.js';
import { parseExpression } from '../syntax/parse-expression.js';
import { ExpressionErrors } from '../syntax/source.js';
import type { CelType } from '../types/cel-type.js';
import { equalValues } from '../values/equality.js';
import { Double } from '../values/number.js';
import { EvaluationError, type Result, TypeValue, type Value } from '../values/value.js';
import {
  type SpecTest,
  type SpecType,
  type SpecValue,
  specType,
  specValue,
  UnknownMessage,
} from './conformance-values.js';

/** The folder of the package @bufbuild/cel-spec, which holds the conformance tests of the language. */
const SPEC = process.env['CEL_SPEC'];

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly { readonly original: SpecTest }[];
}

/** Failures by the place and the expression of a test. Each pattern must still find one. */
const DIFFERENCES: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
  { pattern: /^\/(bindings|block|encoders|math)_ext\//, reason: 'Kubernetes does not have the library' },
  { pattern: /^\/fields\/quoted_map_fields: /, reason: 'Kubernetes does not have quoted fields' },
  { pattern: /^\/fields\/qualified_identifier_resolution: \{/, reason: 'upstream does not refuse repeated keys' },
  {
    pattern: /^\/optionals\/optionals: .*\.hasValue\(\)$/,
    reason: 'upstream finds no fields in values without fields',
  },
  { pattern: /^\/string_ext\//, reason: 'Kubernetes has version 2 of the library' },
];

const functions = declareKubernetesFunctions();
const implementations = kubernetesImplementations();

describe.skipIf(SPEC === undefined)('conformance tests (need CEL_SPEC, the folder of @bufbuild/cel-spec)', () => {
  test('pass without protobuf messages', async () => {
    const loaded: { readonly tests: Suite } = await import(join(SPEC ?? '', 'dist/esm/testdata/conformance.js'));
    const failed: string[] = [];
    const seen = new Set<RegExp>();
    let passed = 0;
    for (const { place, original } of testsOf(loaded.tests, '')) {
      if (needsMore(original)) continue;
      const name = `${place}: ${original.expr}`;
      const outcome = outcomeOf(original);
      const known = DIFFERENCES.find(({ pattern }) => pattern.test(name));
      if (outcome === 'passed') passed++;
      else if (outcome === 'failed' && known === undefined) failed.push(name);
      else if (outcome === 'failed' && known !== undefined) seen.add(known.pattern);
    }
    expect(failed).toEqual([]);
    expect(passed).toBeGreaterThan(1280);
    expect(DIFFERENCES.filter(({ pattern }) => !seen.has(pattern))).toEqual([]);
  });
});

function* testsOf(suite: Suite, place: string): Iterable<{ place: string; original: SpecTest }> {
  for (const { original } of suite.tests ?? []) yield { place, original };
  for (const inner of suite.suites ?? []) yield* testsOf(inner, `${place}/${inner.name}`);
}

/** True for tests of protobuf messages, of names in containers, and of expressions that nobody checks or evaluates. */
function needsMore({ expr, checkOnly, disableCheck, container }: SpecTest): boolean {
  if (checkOnly === true || disableCheck === true || container !== undefined) return true;
  return /proto[23]|TestAllTypes|google\.protobuf\.|cel\.expr/.test(expr);
}

function outcomeOf(original: SpecTest): 'passed' | 'failed' | 'skipped' {
  try {
    return agrees(original, evaluate(original)) ? 'passed' : 'failed';
  } catch (error) {
    if (error instanceof UnknownMessage) return 'skipped';
    throw error;
  }
}

function evaluate({ expr, typeEnv = [], bindings = {} }: SpecTest): Result {
  const types = new Map<string, CelType>(typeEnv.map(({ name, ident }) => [name, typeOf(ident?.type)]));
  const values = [...types.keys()].map((name) => boundValue(bindings[name]?.value));
  return run(expr, types, values);
}

function typeOf(type: SpecType | undefined): CelType {
  if (type === undefined) throw new UnknownMessage();
  return specType(type);
}

function boundValue(value: SpecValue | undefined): Value | undefined {
  return value === undefined ? undefined : specValue(value, evaluateText);
}

function evaluateText(text: string): Value {
  const result = run(text, new Map(), []);
  if (result instanceof EvaluationError) throw new TypeError(result.message);
  return result;
}

function run(text: string, variables: ReadonlyMap<string, CelType>, values: readonly (Value | undefined)[]): Result {
  const parsed = parseExpression(text, KUBERNETES_SYNTAX);
  if (parsed instanceof ExpressionErrors) return new EvaluationError(parsed.toString());
  const checked = checkExpression(parsed, { functions, variables, types: declTypeProvider() });
  if (checked instanceof ExpressionErrors) return new EvaluationError(checked.toString());
  const program = compileProgram(checked, { functions: implementations, variables: [...variables.keys()] });
  return program instanceof EvaluationError ? program : program.evaluate(values, 1_000_000).result;
}

function agrees({ evalError, value, typedResult }: SpecTest, found: Result): boolean {
  if (evalError !== undefined) return found instanceof EvaluationError;
  if (found instanceof EvaluationError) return false;
  const expected = value ?? typedResult?.result ?? { boolValue: true };
  if (expected.typeValue !== undefined) return found instanceof TypeValue && found.type.name === expected.typeValue;
  const wanted = specValue(expected, evaluateText);
  if (wanted instanceof Double && Number.isNaN(wanted.value)) {
    return found instanceof Double && Number.isNaN(found.value);
  }
  return equalValues(wanted, found) === true;
}
