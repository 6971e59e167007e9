import {
  type CheckedExpression,
  checkExpression,
  compileProgram,
  declareKubernetesFunctions,
  declTypeProvider,
  declTypeSizes,
  EvaluationError,
  ExpressionErrors,
  estimateCost,
  jsonView,
  KUBERNETES_SYNTAX,
  kubernetesImplementations,
  nameTypes,
  type Program,
  parseExpression,
  schemaDeclType,
  validateLiterals,
} from '@apiserver/cel';
import { percentile } from './measurement.ts';
import { printTable } from './print-table.ts';

const BATCHES = 21;
const COST_LIMIT = 10_000_000;

const integer = { type: 'integer' } as const;
const part = { type: 'object', properties: { name: { type: 'string' }, port: integer } } as const;
const schema = {
  type: 'object',
  properties: {
    replicas: integer,
    minReplicas: integer,
    maxReplicas: integer,
    mode: { type: 'string' },
    parts: { type: 'array', items: part },
  },
};
const object = {
  replicas: 3,
  minReplicas: 1,
  maxReplicas: 5,
  mode: 'Auto',
  parts: Array.from({ length: 100 }, (_, port) => ({ name: `part-${port}`, port })),
};

const declaration = nameTypes(schemaDeclType(schema, false) ?? unknownSchema(), 'Bench');
const functions = declareKubernetesFunctions();
const implementations = kubernetesImplementations();
const environment = {
  functions,
  variables: new Map([['self', declaration.type]]),
  types: declTypeProvider(declaration),
};

function unknownSchema(): never {
  throw new TypeError('the schema has no declared type');
}

function right<T>(result: T | ExpressionErrors | EvaluationError): T {
  if (result instanceof ExpressionErrors || result instanceof EvaluationError) throw new TypeError(String(result));
  return result;
}

function check(text: string): CheckedExpression {
  const checked = right(checkExpression(right(parseExpression(text, KUBERNETES_SYNTAX)), environment));
  validateLiterals(checked);
  return checked;
}

function compile(checked: CheckedExpression): Program {
  return right(compileProgram(checked, { functions: implementations, variables: ['self'] }));
}

function compileAndEstimate(text: string): unknown {
  const checked = check(text);
  return [compile(checked), estimateCost(checked, sizes)];
}

const sizes = declTypeSizes(declaration);
const TYPICAL = 'self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas';
const evaluation = (text: string) => {
  const program = compile(check(text));
  return () => right(program.evaluate([jsonView(object, declaration)], COST_LIMIT).result);
};

/** Name, work, repetitions in a batch, and the aim in µs. */
const measurements: readonly (readonly [string, () => unknown, number, string])[] = [
  ['compile a typical rule', () => compile(check(TYPICAL)), 500, '100'],
  ['  and estimate its cost', () => compileAndEstimate(TYPICAL), 500, ''],
  ['self.replicas <= self.maxReplicas', evaluation('self.replicas <= self.maxReplicas'), 50_000, '0.3'],
  ["self.mode in ['Auto', 'Manual']", evaluation("self.mode in ['Auto', 'Manual']"), 50_000, ''],
  ['self.parts.all(p, p.port >= 0), 100 parts', evaluation('self.parts.all(p, p.port >= 0)'), 1_000, ''],
];

/** Prints what compiling and evaluating expressions costs in this process. */
export function measureCel(): void {
  const rows: (readonly string[])[] = [['expression', '', 'cpu µs (quartiles)', 'aim']];
  for (const [name, work, count, aim] of measurements) {
    const times = Array.from({ length: BATCHES }, () => batch(work, count)).toSorted((a, b) => a - b);
    const quartiles = [0.25, 0.5, 0.75].map((share) => percentile(times, share).toPrecision(3));
    rows.push([name, '', quartiles.join(' '), aim]);
  }
  printTable('expressions, compiled by V8', rows);
}

function batch(work: () => unknown, count: number): number {
  const begun = process.cpuUsage();
  for (let i = 0; i < count; i++) work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / count;
}
