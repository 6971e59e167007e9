import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckedExpression } from '../check/check-expression.js';
import type { CheckEnvironment } from '../check/environment.js';
import { parseAndCheck } from '../compile/parse-and-check.js';
import { declareKubernetesFunctions } from '../declarations/kubernetes-functions.js';
import { kubernetesImplementations } from '../evaluate/kubernetes-implementations.js';
import { compileProgram, type Evaluation } from '../evaluate/program.js';
import type { ProgramEnvironment } from '../evaluate/program-environment.js';
import { type DeclType, declTypeProvider, nameTypes, structDecl } from '../kubernetes/decl-type.js';
import { admissionRequestType, namespaceObjectType } from '../kubernetes/policy-types.js';
import { type CelSchema, schemaDeclType } from '../kubernetes/schema-decl-type.js';
import { AuthorizationDecisions } from '../libraries/authorizer/decisions.js';
import { AuthorizerValue, ResourceCheck } from '../libraries/authorizer/values.js';
import { LazyObject } from '../policy/lazy-object.js';
import {
  declareMutationFunctions,
  MUTATION_IMPLEMENTATIONS,
  mutationConstructor,
  mutationTypes,
} from '../policy/mutation.js';
import { ExpressionErrors } from '../syntax/source.js';
import { type CelType, DYN, optionalOf, structOf } from '../types/cel-type.js';
import { EvaluationError, OptionalValue, type Result, type Value } from '../values/value.js';
import { dynView } from '../views/dyn-view.js';
import { jsonView } from '../views/json-view.js';
import { type RecordedAuthorizer, recordedDecision } from './recorded-authorizer.js';

/** Upstream's results; not part of the repository. */
export const RECORDED = join(import.meta.dirname, '../../../../../shared/oracles/cel.json');

/** Most cost of a rule and of a policy's expression. */
export const RULE_LIMIT = 1_000_000;

/** An outcome of upstream. */
export interface RecordedOutcome {
  readonly value?: unknown;
  readonly error?: string;
  readonly cost?: string;
}

export interface RecordedCase {
  readonly name: string;
  readonly env: 'crd' | 'policy' | 'mutation';
  readonly schema?: string;
  readonly input?: string;
  readonly optionalOldSelf?: boolean;
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly expression?: string;
  readonly repeat?: {
    readonly prefix?: string;
    readonly unit: string;
    readonly times: number;
    readonly suffix?: string;
  };
  readonly self?: unknown;
  readonly selfRef?: string;
  readonly selfRaw?: string;
  readonly oldSelf?: unknown;
  readonly oldSelfRef?: string;
  readonly expect: RecordedOutcome & {
    readonly compileError?: string;
    readonly programError?: string;
    readonly oneOf?: readonly RecordedOutcome[];
    readonly upstreamPanics?: string;
  };
}

/** The values of a policy's variables, and its authorizer. */
export interface PolicyInput extends Readonly<Record<string, unknown>> {
  readonly authorizer: RecordedAuthorizer;
}

interface Recording {
  readonly schemas: Readonly<Record<string, { readonly schema: CelSchema; readonly resourceRoot?: boolean }>>;
  readonly inputs: Readonly<Record<string, PolicyInput>>;
  readonly values: Readonly<Record<string, unknown>>;
  readonly cases: readonly RecordedCase[];
}

/** Reads the recorded cases that compile and have an outcome. */
export function readRecording(): Recording {
  const recording: Recording = JSON.parse(readFileSync(RECORDED, 'utf8'));
  return {
    ...recording,
    cases: recording.cases.filter(({ expect: { compileError, programError, value, error, oneOf } }) => {
      return compileError === undefined && [programError, value, error, oneOf].some((part) => part !== undefined);
    }),
  };
}

const functions = declareKubernetesFunctions();
const implementations = { ...kubernetesImplementations(), ...MUTATION_IMPLEMENTATIONS };
const request = admissionRequestType();
const namespaceObject = namespaceObjectType();

function textOf({ expression, repeat }: RecordedCase): string {
  if (repeat === undefined) return expression ?? '';
  return `${repeat.prefix ?? ''}${repeat.unit.repeat(repeat.times)}${repeat.suffix ?? ''}`;
}

/** The variables of a case, with their types and values. */
interface Bindings {
  readonly environment: CheckEnvironment;
  readonly values: ReadonlyMap<string, Value | undefined>;
  readonly decisions?: AuthorizationDecisions;
  readonly authorizer?: RecordedAuthorizer;
}

type CaseOutcome = Evaluation | { readonly programError: string } | { readonly compileError: string };

/** Compiles and evaluates a case. */
export function evaluateCase(recorded: RecordedCase, recording: Recording): CaseOutcome {
  const { environment, values, decisions, authorizer } =
    recorded.env === 'crd'
      ? ruleBindings(recorded, recording)
      : withVariables(recordedBindings(recorded, recording), recorded.variables ?? []);
  const checked = parseAndCheck(textOf(recorded), environment);
  if (checked instanceof ExpressionErrors) return { compileError: checked.toString() };
  const program = compileProgram(checked, programEnvironment(values));
  if (program instanceof EvaluationError) return { programError: program.message };
  for (;;) {
    const evaluation = program.evaluate([...values.values()], RULE_LIMIT);
    const open = decisions?.open;
    if (open === undefined || authorizer === undefined) return evaluation;
    decisions?.settle(recordedDecision(authorizer, open));
  }
}

/** The functions that a program of a policy calls. */
export function programEnvironment(values: ReadonlyMap<string, unknown>): ProgramEnvironment {
  return { functions: implementations, variables: [...values.keys()], structs: mutationConstructor };
}

/** Bindings with the variables of a policy, each of which may use those before it. */
function withVariables(bindings: Bindings, variables: NonNullable<RecordedCase['variables']>): Bindings {
  if (variables.length === 0) return bindings;
  const fields = new Map<string, DeclType>();
  const results = new Map<string, () => Result>();
  const composed = new LazyObject(structOf(VARIABLES), results);
  const values = new Map(bindings.values).set('variables', composed);
  const { environment } = bindings;
  const types = new Map(environment.variables).set('variables', structOf(VARIABLES));
  const current = (): CheckEnvironment => ({
    functions: environment.functions,
    variables: types,
    types: declTypeProvider(request, namespaceObject, structDecl(VARIABLES, new Map(fields))),
  });
  for (const { name, expression } of variables) {
    const checked = parseAndCheck(expression, current());
    fields.set(name, { type: checked instanceof ExpressionErrors ? DYN : fieldType(checked.resultType), minSize: 0 });
    results.set(name, () => variableResult(name, checked, values));
  }
  return { ...bindings, environment: current(), values };
}

const VARIABLES = 'kubernetes.variables';

/** Types that only functions look into are dynamic as variables. */
function fieldType(type: CelType): CelType {
  return type.kind === 'opaque' || type.kind === 'struct' || type.kind === 'type' ? DYN : type;
}

function variableResult(
  name: string,
  checked: CheckedExpression | ExpressionErrors,
  values: ReadonlyMap<string, Value | undefined>,
): Result {
  if (checked instanceof ExpressionErrors) return new EvaluationError(checked.toString());
  const program = compileProgram(checked, programEnvironment(values));
  const result =
    program instanceof EvaluationError ? program : program.evaluate([...values.values()], RULE_LIMIT).result;
  if (!(result instanceof EvaluationError)) return result;
  return new EvaluationError(`composited variable "${name}" fails to evaluate: ${result.message}`);
}

const ruleTypes = new Map<string, DeclType>();

function ruleType(name: string, recording: Recording): DeclType {
  const known = ruleTypes.get(name);
  if (known !== undefined) return known;
  const entry = recording.schemas[name];
  const decl = entry && schemaDeclType(entry.schema, entry.resourceRoot === true);
  if (decl === undefined) throw new TypeError(`schema ${name} has no type`);
  const named = nameTypes(decl, 'selfTypeN');
  ruleTypes.set(name, named);
  return named;
}

function ruleBindings(recorded: RecordedCase, recording: Recording): Bindings {
  const decl = ruleType(recorded.schema ?? '', recording);
  const { values } = recording;
  const self = recorded.selfRef === undefined ? recorded.self : values[recorded.selfRef];
  const json: unknown = recorded.selfRaw === undefined ? self : JSON.parse(recorded.selfRaw, exactNumber);
  const old = recorded.oldSelfRef === undefined ? recorded.oldSelf : values[recorded.oldSelfRef];
  const optional = recorded.optionalOldSelf === true;
  const oldValue = old === undefined ? undefined : jsonView(old, decl);
  const bound = optional ? (oldValue === undefined ? OptionalValue.NONE : OptionalValue.of(oldValue)) : oldValue;
  const types = new Map([
    ['self', decl.type],
    ['oldSelf', optional ? optionalOf(decl.type) : decl.type],
  ]);
  return {
    environment: { functions, variables: types, types: declTypeProvider(decl) },
    values: new Map([
      ['self', jsonView(json, decl)],
      ['oldSelf', bound],
    ]),
  };
}

/** Integers beyond the safe ones are bigint, as the server's own parser reads them. */
function exactNumber(this: unknown, _key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const { source = '' } = context ?? {};
  return typeof value === 'number' && /^-?[0-9]+$/.test(source) && !Number.isSafeInteger(value)
    ? BigInt(source)
    : value;
}

function policyEnvironment(variables: ReadonlyMap<string, CelType>): CheckEnvironment {
  return { functions, variables, types: declTypeProvider(request, namespaceObject) };
}

function mutationEnvironment(variables: ReadonlyMap<string, CelType>): CheckEnvironment {
  const { types } = policyEnvironment(variables);
  return { functions: new Map([...functions, ...declareMutationFunctions()]), variables, types: mutationTypes(types) };
}

function recordedBindings({ env, input = 'default' }: RecordedCase, recording: Recording): Bindings {
  const given = recording.inputs[input];
  if (given === undefined) throw new TypeError(`there is no input ${input}`);
  return policyBindings(given, env === 'mutation');
}

/** The variables of a policy. */
export function policyBindings(
  given: PolicyInput,
  mutation: boolean,
): Bindings & { readonly decisions: AuthorizationDecisions } {
  const { authorizer } = given;
  const decisions = new AuthorizationDecisions();
  const authorizerValue = new AuthorizerValue(decisions);
  const asked = { ...authorizer.request, fieldSelector: '', labelSelector: '' };
  const types = new Map<string, CelType>([
    ['object', DYN],
    ['oldObject', DYN],
    ['params', DYN],
    ['request', request.type],
    ['namespaceObject', namespaceObject.type],
    ['authorizer', structOf('kubernetes.authorization.Authorizer')],
    ['authorizer.requestResource', structOf('kubernetes.authorization.ResourceCheck')],
  ]);
  const json = ['object', 'oldObject', 'params', 'request', 'namespaceObject'];
  const values = new Map<string, Value | undefined>(json.map((name) => [name, dynView(given[name])]));
  return {
    environment: mutation ? mutationEnvironment(types) : policyEnvironment(types),
    values: values
      .set('authorizer', authorizerValue)
      .set('authorizer.requestResource', new ResourceCheck(authorizerValue, asked)),
    decisions,
    authorizer,
  };
}
