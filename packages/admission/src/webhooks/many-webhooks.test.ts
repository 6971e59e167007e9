import { TimeSlice } from '@apiserver/apimachinery/clock';
import { expect, it, vi } from 'vitest';
import { WebhookFixture } from '../testing/webhook-fixture.js';
import type { WebhookFields } from './configured-webhook.js';

/** A webhook that cannot be reached, which does not matter. */
const webhook = (index: number): WebhookFields => ({
  name: `h${index}.example.com`,
  clientConfig: { service: { namespace: 'ns', name: 'hook' } },
  rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }],
  namespaceSelector: {},
  objectSelector: {},
  failurePolicy: 'Ignore',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
});

it('selects and calls many webhooks in time slices', async () => {
  using _over = vi.spyOn(TimeSlice.prototype, 'over', 'get').mockReturnValue(true);
  using turns = vi.spyOn(TimeSlice.prototype, 'yield').mockResolvedValue();
  const turnsOf = async (count: number) => {
    const fixture = new WebhookFixture(() => 1);
    fixture.validating.put({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'many' },
      webhooks: Array.from({ length: count }, (_, index) => webhook(index)),
    });
    turns.mockClear();
    expect(await fixture.run()).toMatchObject({ refused: undefined });
    return turns.mock.calls.length;
  };
  const few = await turnsOf(2);
  expect((await turnsOf(12)) - few).toBeGreaterThanOrEqual(20);
});
