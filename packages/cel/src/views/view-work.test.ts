import { expect, test } from 'vitest';
import { checkExpression } from '../check/check-expression.js';
import { declareKubernetesFunctions } from '../declarations/kubernetes-functions.js';
import { kubernetesImplementations } from '../evaluate/kubernetes-implementations.js';
import { compileProgram } from '../evaluate/program.js';
import { declTypeProvider, nameTypes } from '../kubernetes/decl-type.js';
import { KUBERNETES_SYNTAX } from '../kubernetes/kubernetes-syntax.js';
import { type CelSchema, schemaDeclType } from '../kubernetes/schema-decl-type.js';
import { parseExpression } from '../syntax/parse-expression.js';
import { ExpressionErrors } from '../syntax/source.js';
import { COST_LIMIT_EXCEEDED } from '../values/errors.js';
import { EvaluationError } from '../values/value.js';
import { jsonView } from './json-view.js';

const list = (format: string): CelSchema => ({ type: 'array', items: { type: 'string', format } });
const schema: CelSchema = {
  type: 'object',
  properties: {
    times: list('date-time'),
    durations: list('duration'),
    numbers: { type: 'array', items: { type: 'integer' } },
    bytes: { type: 'string', format: 'byte' },
  },
};
const made = schemaDeclType(schema, false);
if (made === undefined) throw new TypeError('no type');
const decl = nameTypes(made, 'T');
const LIMIT = 1_000_000;

function evaluate(text: string, self: object) {
  const parsed = parseExpression(text, KUBERNETES_SYNTAX);
  if (parsed instanceof ExpressionErrors) throw parsed;
  const variables = new Map([['self', decl.type]]);
  const functions = declareKubernetesFunctions();
  const checked = checkExpression(parsed, { functions, variables, types: declTypeProvider(decl) });
  if (checked instanceof ExpressionErrors) throw new TypeError(checked.toString());
  const program = compileProgram(checked, { functions: kubernetesImplementations(), variables: ['self'] });
  if (program instanceof EvaluationError) throw new TypeError(program.message);
  return program.evaluate([jsonView(self, decl)], LIMIT);
}

const wrongTimes = { times: Array.from({ length: 20_000 }, (_, index) => `2020-13-${index}`) };
const AFTER_1970 = 'timestamp("1970-01-01T00:00:00Z")';

test.each([
  ['wrong times', `self.times.all(t, t > ${AFTER_1970} || true)`, wrongTimes],
  [
    'wrong durations',
    'self.durations.all(d, d > duration("1s") || true)',
    { durations: Array.from({ length: 20_000 }, (_, index) => `${index}x`) },
  ],
])('work of reading ends an evaluation: %s', (_, expression, self) => {
  expect(evaluate(expression, self).result).toBe(COST_LIMIT_EXCEEDED);
});

test('work lowers the cost that an evaluation may have', () => {
  const numbers = Array.from({ length: 90_000 }, (_, index) => index);
  const loop = 'self.numbers.all(n, n >= 0)';
  const alone = evaluate(`${loop} && ${loop}`, { numbers });
  expect(alone).toMatchObject({ result: true });
  const { result, cost } = evaluate(`[1, 2].all(n, string(self.bytes).size() > n) && ${loop} && ${loop}`, {
    numbers,
    bytes: Buffer.alloc(2_250_000, 'a').toString('base64url'),
  });
  expect(result).toBe(COST_LIMIT_EXCEEDED);
  expect(cost).toBeLessThan(LIMIT);
});

test.each([
  ['2020-02-29T23:59:59Z', 1_583_020_799, 0],
  ['2020-02-29T23:59:59.123456789Z', 1_583_020_799, 123_456_789],
  ['2020-02-29T23:59:59.5+01:30', 1_583_015_399, 500_000_000],
  ['2020-02-29T23:59:59', 1_583_020_799, 0],
  ['2020-02-29T23:59:59,25-00:30', 1_583_022_599, 250_000_000],
  ['2020-02-29T3:59:59Z', 1_582_948_799, 0],
  ['0001-01-01T00:00:00Z', -62_135_596_800, 0],
])('%s is read, common or not', (text, seconds, nanoseconds) => {
  const since = `self.times[0] - ${AFTER_1970} == duration("${seconds}s") + duration("${nanoseconds}ns")`;
  const asked = seconds < -9e9 ? 'int(self.times[0]) == -62135596800' : since;
  expect(evaluate(asked, { times: [text] }).result).toBe(true);
});

test.each([
  '2019-02-29T00:00:00Z',
  '2020-01-01T24:00:00Z',
  '2020-01-01T00:60:00Z',
  '2020-01-01T00:00:00ZZ',
  '2020-01-01 00:00:00Z',
])('%s is no time', (text) => {
  expect(evaluate('self.times[0] == self.times[0]', { times: [text] }).result).toBeInstanceOf(EvaluationError);
});
