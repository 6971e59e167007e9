import { expect, test } from 'vitest';
import { testAttributes } from '../testing/attributes.js';
import { EvaluationContext } from './evaluation-context.js';

const authorizer = { authorize: () => ({ decision: 'NoOpinion' as const, reason: '' }) };

test('evaluations end with their request, at the end of a turn', async () => {
  const request = new AbortController();
  const context = new EvaluationContext(authorizer, testAttributes({ signal: request.signal }));
  await context.nextTurn();
  request.abort();
  await expect(context.nextTurn()).rejects.toMatchObject({ status: { code: 504, reason: 'Timeout' } });
});

test('the value of a request is made once for a version', () => {
  const context = new EvaluationContext(authorizer, testAttributes());
  const { kind, resource } = testAttributes().scope;
  const first = context.requestIn({ kind, resource });
  const others = [context.requestIn({ kind, resource }), context.requestIn({ kind, resource: { ...resource } })];
  expect(others.map((other) => other === first)).toEqual([true, false]);
});
