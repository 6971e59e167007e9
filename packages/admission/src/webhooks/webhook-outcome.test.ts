import { systemClock } from '@apiserver/apimachinery/clock';
import { newBadRequest } from '@apiserver/apimachinery/errors';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { expect, test } from 'vitest';
import { testAttributes } from '../testing/attributes.js';
import { ConfiguredWebhook, type WebhookType } from './configured-webhook.js';
import { WebhookEnvironment } from './webhook-environment.js';
import { denialOf, WebhookCallError, WebhookRejection } from './webhook-errors.js';
import { CallOutcomes } from './webhook-outcome.js';

const NOW = 5_000;
const FAMILY = 'apiserver_admission_webhook';

const failure = new WebhookCallError('w', 'no route', 503);
const cancelled = new WebhookCallError('w', 'context canceled', 503, true);
const denial = new WebhookRejection(denialOf('w', { message: 'no', code: 700 }));

/** The outcome of one call with its lines in the log and its metrics. */
async function outcomeOf(
  type: WebhookType,
  failurePolicy: string,
  error: unknown,
  changes: Partial<AdmissionAttributes> = {},
) {
  const { logger, lines } = createTestLogger();
  const registry = new MetricsRegistry();
  const environment = new WebhookEnvironment({
    clients: { resolveService: () => ({ hostname: '127.0.0.1', port: 1 }), clock: systemClock },
    newUid: () => 'uid',
    logger,
    registry,
    clock: { now: () => NOW, schedule: () => () => {} },
  });
  const webhook = new ConfiguredWebhook('c/w/0', 'c', {
    name: 'w',
    clientConfig: {},
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    failurePolicy,
  });
  const attributes = testAttributes(changes);
  const outcome = new CallOutcomes(type, environment).of({ webhook, attributes, startedAt: performance.now(), error });
  const { text } = await registry.expose();
  return {
    outcome: 'refusal' in outcome ? String(outcome.refusal) : outcome.failedOpen,
    lines: lines.map(({ level, message, fields }) => [level, message, fields]),
    metrics: text
      .split('\n')
      .filter((line) => line.startsWith(FAMILY) && !/_bucket|_sum|duration/.test(line))
      .map((line) => line.replace(`${FAMILY}_`, '').replace('name="w",', '').replace(',operation="CREATE"', '')),
  };
}

test.each<[string, Parameters<typeof outcomeOf>, Awaited<ReturnType<typeof outcomeOf>>]>([
  [
    'allows',
    ['admit', 'Fail', undefined],
    { outcome: false, lines: [], metrics: ['request_total{code="200",rejected="false",type="admit"} 1'] },
  ],
  [
    'denies with a code that is too great for metrics',
    ['validating', 'Ignore', denial],
    {
      outcome: expect.stringContaining('admission webhook "w" denied the request: no'),
      lines: [['warning', 'Rejected by webhook', { webhook: 'w', error: String(denial) }]],
      metrics: [
        'rejection_count{error_type="no_error",rejection_code="600",type="validating"} 1',
        'request_total{code="600",rejected="true",type="validating"} 1',
      ],
    },
  ],
  [
    'denies a change, without a line in the log',
    ['admit', 'Fail', denial],
    {
      outcome: expect.stringContaining('admission webhook "w" denied the request: no'),
      lines: [],
      metrics: [
        'rejection_count{error_type="no_error",rejection_code="600",type="admit"} 1',
        'request_total{code="600",rejected="true",type="admit"} 1',
      ],
    },
  ],
  [
    'cannot receive the request',
    ['admit', 'Ignore', newBadRequest('no dry run')],
    {
      outcome: expect.stringMatching(/: no dry run$/),
      lines: [],
      metrics: [
        'rejection_count{error_type="apiserver_internal_error",rejection_code="0",type="admit"} 1',
        'request_total{code="0",rejected="true",type="admit"} 1',
      ],
    },
  ],
  [
    'has a bug',
    ['admit', 'Ignore', new TypeError('bug')],
    {
      outcome: expect.stringMatching(/Internal error occurred: bug$/),
      lines: [],
      metrics: [
        'rejection_count{error_type="apiserver_internal_error",rejection_code="0",type="admit"} 1',
        'request_total{code="0",rejected="true",type="admit"} 1',
      ],
    },
  ],
  [
    'fails closed',
    ['admit', 'Fail', failure],
    {
      outcome: expect.stringContaining(failure.message),
      lines: [['warning', 'Failed calling webhook, failing closed', { webhook: 'w', error: failure.message }]],
      metrics: [
        'rejection_count{error_type="calling_webhook_error",rejection_code="503",type="admit"} 1',
        'request_total{code="503",rejected="true",type="admit"} 1',
      ],
    },
  ],
  [
    'fails closed for a client that is gone',
    ['admit', 'Fail', cancelled],
    {
      outcome: expect.stringContaining(cancelled.message),
      lines: [['warning', 'Failed calling webhook, failing closed', { webhook: 'w', error: cancelled.message }]],
      metrics: ['request_total{code="503",rejected="true",type="admit"} 1'],
    },
  ],
  [
    'fails open',
    ['validating', 'Ignore', failure, { deadline: Number.POSITIVE_INFINITY }],
    {
      outcome: true,
      lines: [['warning', 'Failed calling webhook, failing open', { webhook: 'w', error: failure.message }]],
      metrics: [
        'fail_open_count{type="validating"} 1',
        'request_total{code="503",rejected="false",type="validating"} 1',
      ],
    },
  ],
  [
    'fails open at the end of the time of its request',
    ['admit', 'Ignore', failure, { deadline: performance.now() }],
    {
      outcome: expect.stringMatching(/request did not complete within requested timeout/),
      lines: [['warning', 'Failed calling webhook, failing open', { webhook: 'w', error: failure.message }]],
      metrics: ['fail_open_count{type="admit"} 1', 'request_total{code="503",rejected="false",type="admit"} 1'],
    },
  ],
  [
    'fails open for a client that is gone',
    ['admit', 'Ignore', cancelled, { signal: AbortSignal.abort() }],
    {
      outcome: expect.stringMatching(/request did not complete within requested timeout/),
      lines: [['warning', 'Context canceled when calling webhook', { webhook: 'w' }]],
      metrics: ['request_total{code="503",rejected="false",type="admit"} 1'],
    },
  ],
])('a webhook that %s', async (_, call, expected) => {
  const found = await outcomeOf(...call);
  expect({ ...found, metrics: found.metrics.toSorted() }).toEqual(expected);
});

test('a call that was cancelled, with failures that are ignored, is no failure that is open', async () => {
  expect((await outcomeOf('admit', 'Ignore', cancelled)).outcome).toBe(false);
});

test('the metrics of calls have help texts and bounds', async () => {
  const registry = new MetricsRegistry();
  const { metrics } = new WebhookEnvironment({
    clients: { resolveService: () => ({ hostname: '127.0.0.1', port: 1 }), clock: systemClock },
    newUid: () => 'uid',
    logger: createTestLogger().logger,
    registry,
    clock: systemClock,
  });
  const call = { name: 'w', type: 'admit', operation: 'CREATE', code: 200, rejected: false } as const;
  metrics.called({ ...call, seconds: 2 });
  metrics.rejected({ ...call, seconds: 2 }, 'no_error');
  metrics.failedOpen('w', 'admit');
  const lines = (await registry.expose()).text.split('\n');
  expect(lines.filter((line) => line.startsWith('# HELP apiserver_')).toSorted()).toEqual([
    `# HELP ${FAMILY}_admission_duration_seconds [STABLE] Time a webhook took, by webhook, phase, operation and whether it refused.`,
    `# HELP ${FAMILY}_fail_open_count [ALPHA] Number of requests that were admitted although a webhook failed.`,
    `# HELP ${FAMILY}_rejection_count [ALPHA] Number of requests that a webhook refused, or that were refused because it failed.`,
    `# HELP ${FAMILY}_request_total [ALPHA] Number of calls of a webhook, by the code of the result and whether it refused.`,
  ]);
  const buckets = lines.filter((line) => line.includes('_bucket'));
  expect(buckets.map((line) => line.replace(/.*le="(.*)"\} /, '$1 '))).toEqual([
    '0.005 0',
    '0.025 0',
    '0.1 0',
    '0.5 0',
    '1 0',
    '2.5 1',
    '10 1',
    '25 1',
    '+Inf 1',
  ]);
});
