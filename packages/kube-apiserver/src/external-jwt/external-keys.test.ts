import { createPublicKey } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { makeIssuerKey } from '@apiserver/authentication/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { expect, it, vi } from 'vitest';
import { ExternalKeys } from './external-keys.js';
import { SignerMetrics } from './signer-metrics.js';

it('keeps nothing of its refreshes, and stops with its signal', async () => {
  const key = createPublicKey(makeIssuerKey('k').privateKey).export({ type: 'spki', format: 'der' });
  const lifetime = new AbortController();
  let fetches = 0;
  const clock = {
    now: () => 0,
    schedule: (callback: () => void) => {
      const timer = setImmediate(callback);
      return () => clearImmediate(timer);
    },
  };
  const keys = new ExternalKeys({
    clock,
    logger: createTestLogger().logger,
    metrics: new SignerMetrics(new MetricsRegistry(), () => 0),
    client: {
      fetchKeys: async () => {
        // Every second one fails.
        if (++fetches % 2 === 0) throw new Error('busy');
        const fetched = { keyId: 'k', key, excludeFromDiscovery: false };
        return { keys: [fetched], dataTimestamp: 1, refreshHintSeconds: 1 };
      },
    },
    signal: lifetime.signal,
  });
  await keys.start();
  await vi.waitFor(() => expect(fetches).toBeGreaterThan(10), 30_000);
  expect(getEventListeners(lifetime.signal, 'abort').length).toBeLessThanOrEqual(1);
  lifetime.abort();
  const last = fetches;
  await eventLoopTurns();
  expect(fetches - last).toBeLessThanOrEqual(1);
  expect(keys.all.length).toBe(1);
});
