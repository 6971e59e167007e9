import { throwingLogger } from '@apiserver/apiserver-contracts/testing';
import { expect, it } from 'vitest';
import { newGenericServerConfig } from './generic-server-config.js';
import { newServerContext } from './server-context.js';

/** Upstream: k8s.io/apiserver/pkg/server.NewConfig; durations in milliseconds unless named otherwise. */
const UPSTREAM = {
  enableIndex: true,
  enableMetrics: true,
  enableDiscovery: true,
  debugging: { profiling: true, socketPath: '', flags: {} },
  hstsDirectives: [],
  healthChecks: [],
  healthzChecks: [],
  readyzChecks: [],
  livezChecks: [],
  maxRequestsInFlight: 400,
  maxMutatingRequestsInFlight: 200,
  requestTimeout: 60_000,
  minRequestTimeoutSeconds: 1_800,
  storageInitializationTimeout: 60_000,
  livezGracePeriod: 0,
  shutdownDelayDuration: 0,
  shutdownSendRetryAfter: false,
  shutdownWatchTerminationGracePeriod: 0,
  maxRequestBodyBytes: 3 * 1024 * 1024,
};

it("has upstream's defaults", async () => {
  const context = newServerContext({ logger: throwingLogger });
  expect(newGenericServerConfig(context)).toMatchObject(UPSTREAM);
  await context.disposables.disposeAsync();
});
