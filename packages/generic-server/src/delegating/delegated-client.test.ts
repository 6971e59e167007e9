import { systemClock } from '@apiserver/apimachinery/clock';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { RestClientMetrics } from '@apiserver/rest-client';
import { afterEach, expect, it, vi } from 'vitest';
import { delegatedClient } from './delegated-client.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A call outside of a cluster, or inside of one with a host. */
function made(purpose: 'authentication' | 'authorization', kubeconfig: string, isOptional: boolean, host = '') {
  vi.stubEnv('KUBERNETES_SERVICE_HOST', host);
  vi.stubEnv('KUBERNETES_SERVICE_PORT', host && '443');
  const { logger, lines } = createTestLogger();
  const observer = new RestClientMetrics(new MetricsRegistry({ withProcess: false }));
  const make = () =>
    delegatedClient({ purpose, kubeconfig, isOptional, userAgent: 'a', observer, clock: systemClock, logger });
  return { make, warnings: () => lines.map(({ level, message }) => `${level}: ${message}`) };
}

const OUTSIDE =
  'unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined';

it.each(['authentication', 'authorization'] as const)('is optional for %s outside of a cluster', (purpose) => {
  const { make, warnings } = made(purpose, '', true);
  expect([make(), warnings()]).toEqual([undefined, []]);
});

it.each(['authentication', 'authorization'] as const)('is needed for %s by default', (purpose) => {
  const { make, warnings } = made(purpose, '', false);
  expect(make).toThrow(
    expect.objectContaining({
      message: `failed to get delegated ${purpose} kubeconfig: ${OUTSIDE}`,
      cause: expect.objectContaining({ message: OUTSIDE }),
    }),
  );
  expect(warnings()).toEqual([]);
});

it.each(['authentication', 'authorization'] as const)('warns of a cluster that is of no use for %s', (purpose) => {
  const { make, warnings } = made(purpose, '', true, 'no host');
  expect(make()).toBeUndefined();
  expect(warnings()).toEqual([
    expect.stringMatching(`^warning: failed to read in-cluster kubeconfig for delegated ${purpose}: .`),
  ]);
});

it.each([[true], [false]])('refuses a file that is not there, optional: %s', (isOptional) => {
  const { make, warnings } = made('authorization', '/none', isOptional);
  expect(make).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(/^failed to get delegated authorization kubeconfig: .*\/none/),
      cause: expect.any(Error),
    }),
  );
  expect(warnings()).toEqual([]);
});
