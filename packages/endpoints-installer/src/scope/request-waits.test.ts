import type { RequestContext } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { noteWait, totalWait } from './request-waits.js';

it('sums mutating webhooks and waits for seats, and takes the slowest validating webhook', () => {
  const context: Pick<RequestContext, 'waits' | 'audit'> = { audit: undefined };
  expect(totalWait(context)).toBe(0);
  noteWait(context, 'mutatingWebhooks', 20);
  noteWait(context, 'mutatingWebhooks', 30);
  noteWait(context, 'validatingWebhooks', 7);
  noteWait(context, 'validatingWebhooks', 5);
  noteWait(context, 'validatingWebhooks', 9);
  noteWait(context, 'seat', 1);
  expect([context.waits, totalWait(context)]).toEqual([{ mutatingWebhooks: 50, validatingWebhooks: 9, seat: 1 }, 60]);
});
