import { type Filter, pathAttributes } from '@apiserver/apiserver-contracts';
import { createTestLogger, throwingLogger } from '@apiserver/apiserver-contracts/testing';
import { alwaysAllow, alwaysDeny } from '@apiserver/authorization';
import { expect, it } from 'vitest';
import { completeGenericServerConfig, isHttp2Implementation, newGenericServerConfig } from './generic-server-config.js';
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

it('has no parts before its options are applied', async () => {
  const context = newServerContext({ logger: throwingLogger });
  const config = newGenericServerConfig(context);
  expect(config).toMatchObject({
    secureServing: undefined,
    authenticator: undefined,
    isIdentityHeader: undefined,
    tokenAuthenticator: undefined,
    authorizer: undefined,
    ruleResolver: undefined,
    audit: undefined,
    egress: undefined,
    tracer: undefined,
    isAllowedOrigin: undefined,
    flowControl: undefined,
    apiAudiences: [],
    externalAddress: '',
    discovery: {},
    goawayChance: 0,
    zpages: { statusz: true, flags: undefined },
    logger: throwingLogger,
  });
  const filters: readonly Filter[] = [];
  expect(config.adjustFilters(filters)).toBe(filters);
  await context.disposables.disposeAsync();
});

it.each([
  [undefined, ['Authorization is disabled'], 'Allow'],
  [alwaysAllow(), [], 'Allow'],
  [alwaysDeny(), [], 'NoOpinion'],
] as const)('completes the authorizer: %#', async (authorizer, warnings, decision) => {
  const { logger, lines } = createTestLogger();
  const context = newServerContext({ logger });
  const completed = completeGenericServerConfig(Object.assign(newGenericServerConfig(context), { authorizer }));
  expect(lines).toEqual(warnings.map((message) => ({ level: 'warning', message, fields: {} })));
  const answer = await completed.authorizer.authorize(
    pathAttributes({ name: 'a', groups: [], extra: {} }, 'get', '/x'),
  );
  expect(answer).toMatchObject({ decision });
  expect(Object.is(completed.ruleResolver, completed.authorizer)).toBe(authorizer === undefined);
  await context.disposables.disposeAsync();
});

it('keeps a rule resolver', async () => {
  const context = newServerContext({ logger: throwingLogger });
  const [authorizer, ruleResolver] = [alwaysAllow(), alwaysAllow()];
  const completed = completeGenericServerConfig({ ...newGenericServerConfig(context), authorizer, ruleResolver });
  expect([completed.authorizer, completed.ruleResolver]).toEqual([authorizer, ruleResolver]);
  expect(completed.ruleResolver).toBe(ruleResolver);
  await context.disposables.disposeAsync();
});

it('knows the implementations of HTTP/2', () => {
  expect(['own', 'node', '', 'x'].map(isHttp2Implementation)).toEqual([true, true, false, false]);
});
