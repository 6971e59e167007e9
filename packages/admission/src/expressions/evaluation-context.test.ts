import { expect, test } from 'vitest';
import { testAttributes } from '../testing/attributes.js';
import { EvaluationContext } from './evaluation-context.js';

test('evaluations end with their request, at the end of a turn', async () => {
  const request = new AbortController();
  const authorizer = { authorize: () => ({ decision: 'NoOpinion' as const, reason: '' }) };
  const context = new EvaluationContext(authorizer, testAttributes({ signal: request.signal }));
  await context.nextTurn();
  request.abort();
  await expect(context.nextTurn()).rejects.toMatchObject({ status: { code: 504, reason: 'Timeout' } });
});
