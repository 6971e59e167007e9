import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '@apiserver/apimachinery';
import { PolicyCompiler, SharedEnvironment } from '@apiserver/cel';
import { describe, expect, test, vi } from 'vitest';
import { testAttributes } from '../testing/attributes.js';
import { Activation, type Outcomes, OutOfBudget, type WrittenVariable } from './activation.js';
import { EvaluationContext } from './evaluation-context.js';

/** Upstream's results; not part of the repository. */
const RECORDED = join(import.meta.dirname, '../../../../../shared/oracles/cel.json');

interface RecordedCase {
  readonly name: string;
  readonly input?: string;
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly expression: string;
  readonly expect: { readonly cost?: string; readonly variablesCost?: string };
}

interface Recording {
  readonly inputs: Readonly<Record<string, { readonly object?: KubeObject }>>;
  readonly cases: readonly RecordedCase[];
}

const shared = new SharedEnvironment();
const BUDGET = 1_000_000;

/** An activation with the variables of a policy; the authorizer allows what `allows` names, a moment later. */
function activate(
  variables: readonly { readonly name: string; readonly expression: string }[],
  { object, allows = [], budget = BUDGET }: { object?: KubeObject; allows?: readonly string[]; budget?: number } = {},
) {
  const asked: string[] = [];
  const compiler = new PolicyCompiler(shared, { params: true, variables: true });
  const written: WrittenVariable[] = variables.map(({ name, expression }) => ({
    name,
    compiled: compiler.declareVariable(name, expression),
  }));
  const attributes = testAttributes({ object });
  const authorizer = {
    authorize: async ({ verb }: { readonly verb: string }) => {
      asked.push(verb);
      return { decision: allows.includes(verb) ? ('Allow' as const) : ('NoOpinion' as const), reason: '' };
    },
  };
  const context = new EvaluationContext(authorizer, attributes);
  const request = { attributes, version: attributes.scope, object, oldObject: undefined };
  const inputs = { request, resource: attributes.resource, hasAuthorizer: true };
  const activation = new Activation(inputs, { context, variables: written, budget });
  const expression = (text: string) => ({ text, compiled: compiler.compile(text, 'variable') });
  const evaluate = (text: string) => activation.evaluate(expression(text));
  const evaluateAll = (texts: readonly string[]) => activation.evaluateAll(texts.map(expression));
  return { activation, asked, context, evaluate, evaluateAll };
}

describe.skipIf(!existsSync(RECORDED))('recorded variables (need ../shared)', () => {
  test('cost what they cost upstream', async () => {
    const recording: Recording = JSON.parse(readFileSync(RECORDED, 'utf8'));
    const cases = recording.cases.filter(({ expect: { variablesCost } }) => variablesCost !== undefined);
    const different: unknown[] = [];
    for (const { name, input = 'default', variables = [], expression, expect: outcome } of cases) {
      const object = recording.inputs[input]?.object;
      const { activation, evaluate } = activate(variables, object === undefined ? {} : { object });
      await evaluate(expression);
      const expected = Number(outcome.cost) + Number(outcome.variablesCost);
      const found = BUDGET - activation.remaining;
      if (found !== expected) different.push({ name, expected, found });
    }
    expect(different).toEqual([]);
    expect(cases.length).toBe(9);
  });
});

describe('an activation', () => {
  const values = (outcomes: Outcomes) => outcomes.map((outcome) => outcome && 'value' in outcome && outcome.value);

  test('evaluates expressions at once while neither the authorizer nor the turn of the event loop says otherwise', async () => {
    const at = activate([], { allows: ['get'] });
    const found = at.evaluateAll(['1', '2', '3']);
    expect(found instanceof Promise ? 'a promise' : values(found)).toEqual([1, 2, 3]);

    const check = 'authorizer.path("/").check("get").allowed()';
    const asking = activate([], { allows: ['get'] }).evaluateAll(['1', check, '3']);
    expect([asking instanceof Promise, values(await asking)]).toEqual([true, [1, true, 3]]);

    const { context, evaluateAll } = activate([]);
    const over = vi.spyOn(context, 'isTurnOver', 'get').mockReturnValue(true);
    const turns = vi.spyOn(context, 'nextTurn');
    const late = evaluateAll(['1', '2', '3']);
    expect([late instanceof Promise, values(await late), turns.mock.calls.length]).toEqual([true, [1, 2, 3], 3]);
    over.mockRestore();
  });

  test('evaluates a variable once for all expressions of a call', async () => {
    const { activation, evaluate } = activate([{ name: 'n', expression: '[1, 2, 3].map(x, x * 2)' }]);
    await evaluate('size(variables.n)');
    const first = BUDGET - activation.remaining;
    await evaluate('size(variables.n)');
    expect(BUDGET - activation.remaining - first).toBeLessThan(first / 2);
  });

  test('asks the authorizer, and pays for the last evaluation only', async () => {
    const check = (verb: string) => `authorizer.path("/").check("${verb}").allowed()`;
    const variables = [{ name: 'may', expression: check('get') }];
    const { activation, asked, evaluate } = activate(variables, { allows: ['get'] });
    const outcome = await evaluate('variables.may');
    const cost = BUDGET - activation.remaining;
    const again = await evaluate('variables.may');
    expect([outcome, again, asked]).toMatchObject([{ value: true }, { value: true }, ['get']]);
    expect(cost).toBeLessThan(400_000);
    expect(cost).toBeGreaterThanOrEqual(350_000);
  });

  test('ends when its budget is used up', () => {
    const { evaluate } = activate([{ name: 'n', expression: '[1, 2, 3].map(x, x * 2)' }], { budget: 20 });
    expect(() => evaluate('size(variables.n)')).toThrow(OutOfBudget);
  });

  test('has no value of variables that need more than the stack', async () => {
    const chain = Array.from({ length: 5_000 }, (_, index) => ({
      name: `v${index}`,
      expression: index === 0 ? '1' : `variables.v${index - 1} + 1`,
    }));
    const { evaluate } = activate(chain);
    expect(await evaluate('variables.v100')).toMatchObject({ value: 101 });
    expect(await evaluate('variables.v4999')).toMatchObject({
      error: expect.stringContaining('operation cancelled: actual cost limit exceeded'),
    });
  });

  test('has another value at each reading of an object, as the keys of maps show', async () => {
    const { evaluate } = activate([{ name: 'o', expression: 'object' }], {
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '0' } },
    });
    const texts = ['object in {object: 1}', 'object == object', 'object.metadata in {object.metadata: 1}'];
    const kept = ['[object].all(x, x in {x: 1})', 'variables.o in {variables.o: 1}', 'oldObject in {oldObject: 1}'];
    const values = [];
    for (const text of [...texts, ...kept]) values.push((await evaluate(text)) as { readonly value: unknown });
    expect(values.map(({ value }) => value)).toEqual([false, true, false, true, true, true]);
  });

  test('names the expression in its error', async () => {
    const { evaluate } = activate([{ name: 'a', expression: '1 / int(object.metadata.name)' }], {
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '0' } },
    });
    expect(await evaluate('variables.a')).toMatchObject({
      error: `expression 'variables.a' resulted in error: composited variable "a" fails to evaluate: division by zero`,
    });
  });
});
