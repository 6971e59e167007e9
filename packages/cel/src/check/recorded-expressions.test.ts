import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAndCheck } from '../compile/parse-and-check.js';
import { declTypeSizes, type SizeEstimator, UNKNOWN_SIZES } from '../cost/decl-type-sizes.js';
import { estimateCost } from '../cost/estimate-cost.js';
import { declareKubernetesFunctions } from '../declarations/kubernetes-functions.js';
import { declTypeProvider, nameTypes } from '../kubernetes/decl-type.js';
import { type CelSchema, schemaDeclType } from '../kubernetes/schema-decl-type.js';
import { PolicyCompiler, SharedEnvironment } from '../policy/policy-compiler.js';
import { ExpressionErrors } from '../syntax/source.js';
import { optionalOf, typeString } from '../types/cel-type.js';
import type { CheckedExpression } from './check-expression.js';
import type { CheckEnvironment } from './environment.js';

/** Upstream's results; not part of the repository. */
const RECORDED = join(import.meta.dirname, '../../../../../shared/oracles/cel.json');

interface RecordedExpression {
  readonly name: string;
  readonly env: 'crd' | 'policy' | 'mutation';
  readonly schema?: string;
  readonly optionalOldSelf?: boolean;
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly expression?: string;
  readonly repeat?: {
    readonly prefix?: string;
    readonly unit: string;
    readonly times: number;
    readonly suffix?: string;
  };
  readonly expect: {
    readonly compileError?: string;
    readonly type?: string;
    readonly estimatedCost?: { readonly min: string; readonly max: string };
  };
}

interface Recording {
  readonly schemas: Readonly<Record<string, { readonly schema: CelSchema; readonly resourceRoot?: boolean }>>;
  readonly cases: readonly RecordedExpression[];
}

const functions = declareKubernetesFunctions();

describe.skipIf(!existsSync(RECORDED))('recorded expressions (need ../shared)', () => {
  test('have the types and errors of upstream', () => {
    const recording: Recording = JSON.parse(readFileSync(RECORDED, 'utf8'));
    const different: { name: string; expected: string; found: string }[] = [];
    let agreed = 0;
    for (const recorded of recording.cases) {
      const expected = recorded.expect.compileError ?? recorded.expect.type;
      if (expected === undefined) continue;
      const found = answerOf(recorded, recording);
      if (found === expected) agreed++;
      else different.push({ name: recorded.name, expected, found });
    }
    expect(different).toEqual([]);
    expect(agreed).toBeGreaterThan(6800);
  });

  test('have the estimated costs of upstream', () => {
    const recording: Recording = JSON.parse(readFileSync(RECORDED, 'utf8'));
    const different: { name: string; expected: unknown; found: unknown }[] = [];
    let agreed = 0;
    for (const recorded of recording.cases) {
      const expected = recorded.expect.estimatedCost;
      if (expected === undefined) continue;
      const checked = compileRecorded(recorded, recording);
      if (checked instanceof ExpressionErrors) continue;
      const { min, max } = estimateCost(checked, sizesOf(recorded, recording));
      const found = { min: String(min), max: String(max) };
      if (found.min === expected.min && found.max === expected.max) agreed++;
      else different.push({ name: recorded.name, expected, found });
    }
    expect(different).toEqual([]);
    expect(agreed).toBeGreaterThan(5200);
  });
});

function answerOf(recorded: RecordedExpression, recording: Recording): string {
  const checked = compileRecorded(recorded, recording);
  return checked instanceof ExpressionErrors ? checked.toString() : typeString(checked.resultType);
}

function compileRecorded(recorded: RecordedExpression, recording: Recording): CheckedExpression | ExpressionErrors {
  if (recorded.env !== 'crd') return compilePolicy(recorded);
  return parseAndCheck(textOf(recorded), schemaEnvironment(recorded, recording));
}

function sizesOf({ env, schema = '' }: RecordedExpression, recording: Recording): SizeEstimator {
  const entry = env === 'crd' ? recording.schemas[schema] : undefined;
  const decl = entry && schemaDeclType(entry.schema, entry.resourceRoot === true);
  return decl === undefined ? UNKNOWN_SIZES : declTypeSizes(decl);
}

function textOf({ expression, repeat }: RecordedExpression): string {
  if (repeat === undefined) return expression ?? '';
  return `${repeat.prefix ?? ''}${repeat.unit.repeat(repeat.times)}${repeat.suffix ?? ''}`;
}

const environments = new Map<string, CheckEnvironment>();

function schemaEnvironment(recorded: RecordedExpression, recording: Recording): CheckEnvironment {
  const key = `${recorded.schema} ${recorded.optionalOldSelf === true}`;
  const known = environments.get(key);
  if (known !== undefined) return known;
  const entry = recording.schemas[recorded.schema ?? ''];
  const decl = entry && schemaDeclType(entry.schema, entry.resourceRoot === true);
  if (decl === undefined) throw new TypeError(`the schema of ${recorded.name} has no type`);
  const self = nameTypes(decl, 'selfTypeN');
  const variables = new Map([
    ['self', self.type],
    ['oldSelf', recorded.optionalOldSelf === true ? optionalOf(self.type) : self.type],
  ]);
  const environment = { functions, variables, types: declTypeProvider(self) };
  environments.set(key, environment);
  return environment;
}

const shared = new SharedEnvironment();

/** Compiles an expression of a policy behind its variables. */
function compilePolicy(recorded: RecordedExpression): CheckedExpression | ExpressionErrors {
  const compiler = new PolicyCompiler(shared, { params: true, variables: true });
  for (const { name, expression } of recorded.variables ?? []) compiler.declareVariable(name, expression);
  return compiler.check(textOf(recorded), recorded.env === 'mutation' ? 'applyConfiguration' : 'condition');
}
