import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { declTypeSizes, type SizeEstimator, UNKNOWN_SIZES } from '../cost/decl-type-sizes.js';
import { estimateCost } from '../cost/estimate-cost.js';
import { declareKubernetesFunctions } from '../declarations/kubernetes-functions.js';
import { type DeclType, declTypeProvider, nameTypes, structDecl } from '../kubernetes/decl-type.js';
import { KUBERNETES_SYNTAX } from '../kubernetes/kubernetes-syntax.js';
import { admissionRequestType, namespaceObjectType } from '../kubernetes/policy-types.js';
import { type CelSchema, schemaDeclType } from '../kubernetes/schema-decl-type.js';
import { parseExpression } from '../syntax/parse-expression.js';
import { ExpressionErrors } from '../syntax/source.js';
import { type CelType, DYN, optionalOf, structOf, typeString } from '../types/cel-type.js';
import { type CheckedExpression, checkExpression } from './check-expression.js';
import type { CheckEnvironment } from './environment.js';
import { validateLiterals } from './validate-literals.js';

/** Upstream's answers; not part of the repository. */
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

/** Differences from upstream, by the pattern of what upstream answers. Each pattern must still find one. */
const DIFFERENCES: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
  {
    pattern: /^(wrapper\(\w+\)|google\.protobuf\.(Duration|Timestamp)|map\(string, dyn\)|dyn)$/,
    reason: 'protobuf messages are no types here, and composed variables are typed by their user',
  },
];

const functions = declareKubernetesFunctions();

describe.skipIf(!existsSync(RECORDED))('recorded expressions (need ../shared)', () => {
  test('have the types and errors of upstream', () => {
    const recording: Recording = JSON.parse(readFileSync(RECORDED, 'utf8'));
    const different: { name: string; expected: string; found: string }[] = [];
    const seen = new Set<RegExp>();
    let agreed = 0;
    for (const recorded of recording.cases) {
      const expected = recorded.expect.compileError ?? recorded.expect.type;
      if (expected === undefined || recorded.env === 'mutation') continue;
      const found = answerOf(recorded, recording);
      const known = DIFFERENCES.find(({ pattern }) => pattern.test(expected));
      if (found === expected) agreed++;
      else if (known === undefined) different.push({ name: recorded.name, expected, found });
      else seen.add(known.pattern);
    }
    expect(different).toEqual([]);
    expect(agreed).toBeGreaterThan(6800);
    expect([...DIFFERENCES].filter(({ pattern }) => !seen.has(pattern))).toEqual([]);
  });

  test('have the estimated costs of upstream', () => {
    const recording: Recording = JSON.parse(readFileSync(RECORDED, 'utf8'));
    const different: { name: string; expected: unknown; found: unknown }[] = [];
    let agreed = 0;
    for (const recorded of recording.cases) {
      const expected = recorded.expect.estimatedCost;
      if (expected === undefined || recorded.env === 'mutation') continue;
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
  const environment = recorded.env === 'crd' ? schemaEnvironment(recorded, recording) : policyEnvironment(recorded);
  return compile(textOf(recorded), environment);
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

function compile(text: string, environment: CheckEnvironment): CheckedExpression | ExpressionErrors {
  const parsed = parseExpression(text, KUBERNETES_SYNTAX);
  if (parsed instanceof ExpressionErrors) return parsed;
  const checked = checkExpression(parsed, environment);
  return checked instanceof ExpressionErrors ? checked : (validateLiterals(checked) ?? checked);
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

const request = admissionRequestType();
const namespaceObject = namespaceObjectType();
const VARIABLES = 'kubernetes.variables';

/** The environment of a policy's expression behind its variables. */
function policyEnvironment({ variables = [] }: RecordedExpression): CheckEnvironment {
  const fields = new Map<string, DeclType>();
  for (const { name, expression } of variables) {
    const checked = compile(expression, environmentWith(fields));
    fields.set(name, { type: checked instanceof ExpressionErrors ? DYN : checked.resultType, minSize: 0 });
  }
  return environmentWith(fields);
}

function environmentWith(fields: ReadonlyMap<string, DeclType>): CheckEnvironment {
  const variables = new Map<string, CelType>([
    ['object', DYN],
    ['oldObject', DYN],
    ['params', DYN],
    ['request', request.type],
    ['namespaceObject', namespaceObject.type],
    ['authorizer', structOf('kubernetes.authorization.Authorizer')],
    ['authorizer.requestResource', structOf('kubernetes.authorization.ResourceCheck')],
    ['variables', structOf(VARIABLES)],
  ]);
  return { functions, variables, types: declTypeProvider(request, namespaceObject, structDecl(VARIABLES, fields)) };
}
