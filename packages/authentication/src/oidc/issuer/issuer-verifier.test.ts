import { getEventListeners } from 'node:events';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { expect, it, vi } from 'vitest';
import { IssuerVerifier } from './issuer-verifier.js';

it('keeps nothing of its attempts, and makes none after its signal', async () => {
  const lifetime = new AbortController();
  let attempts = 0;
  const clock = {
    now: () => 0,
    schedule: (callback: () => void) => {
      const timer = setImmediate(callback);
      return () => clearImmediate(timer);
    },
  };
  const verifier = new IssuerVerifier({
    issuer: 'https://x',
    discoveryUrl: '',
    audiences: ['a'],
    algorithms: ['RS256'],
    failure: 'initializing',
    clock,
    logger: createTestLogger().logger,
    signal: lifetime.signal,
    client: {
      get: () => {
        attempts++;
        return Promise.reject(new Error('down'));
      },
    },
  });
  await verifier.start();
  expect(verifier.failure?.message).toBe('down');
  await vi.waitFor(() => expect(attempts).toBeGreaterThan(10), 30_000);
  expect(getEventListeners(lifetime.signal, 'abort').length).toBeLessThanOrEqual(1);
  lifetime.abort();
  const last = attempts;
  await eventLoopTurns();
  expect(attempts).toBe(last);
});
