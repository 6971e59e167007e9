import { Deadlines } from '@apiserver/apimachinery/clock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { noEndpointMetrics } from '../scope/endpoint-metrics.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import type { TestExchangeOptions } from '../testing/test-exchange.js';
import { createTestServer } from '../testing/test-server.js';
import {
  CONFIG_MAP_A,
  CONFIG_MAPS,
  configMapBody,
  recordingChain,
  refusalOf,
  serverWithA,
} from '../testing/write-fixtures.js';
import { finishRequest } from './finish-request.js';

const TOO_LATE = [504, 'Timeout: request did not complete within requested timeout - context deadline exceeded'];
const MERGE_PATCH = { 'Content-Type': 'application/merge-patch+json' };

const writes: readonly (readonly [string, TestExchangeOptions, 'create' | 'update' | 'delete'])[] = [
  ['create', { method: 'POST', url: CONFIG_MAPS, body: configMapBody({}, { name: 'b' }) }, 'create'],
  ['update', { method: 'PUT', url: CONFIG_MAP_A, body: configMapBody() }, 'update'],
  ['patch', { method: 'PATCH', url: CONFIG_MAP_A, headers: MERGE_PATCH, body: '{}' }, 'update'],
  ['delete', { method: 'DELETE', url: CONFIG_MAP_A }, 'delete'],
];

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test.each(writes)('a hanging %s gets a response after 34 seconds', async (_verb, request, method) => {
  const server = serverWithA();
  server.storage[method] = () => new Promise<never>(() => undefined);
  const response = refusalOf(server, request);
  await vi.advanceTimersByTimeAsync(33_999);
  expect(await Promise.race([response, 'nothing yet'])).toBe('nothing yet');
  await vi.advanceTimersByTimeAsync(1);
  expect(await response).toEqual(TOO_LATE);
});

test.each(writes)('a %s whose body takes 34 seconds is not started', async (_verb, request, method) => {
  const server = serverWithA();
  let looks = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (looks++ === 0 ? 0 : 34_000));
  const begun = vi.spyOn(server.storage, method);
  expect([await refusalOf(server, request), begun.mock.calls.length]).toEqual([TOO_LATE, 0]);
});

test.each(writes)('admission of a %s knows this limit', async (_verb, request) => {
  const deadlines = new Set<number | undefined>();
  const { admission } = recordingChain({ admit: ({ deadline }) => void deadlines.add(deadline) });
  const begun = performance.now();
  await serverWithA({ admission }).call(request);
  expect([...deadlines]).toEqual([begun + 34_000]);
});

test.each([
  ['ok', () => Promise.resolve('stored')],
  ['error', () => Promise.reject(new Error('gone'))],
  ['pending', () => new Promise<never>(() => undefined)],
])('a write that ends after its response is reported as %s', async (status, end) => {
  const reported: unknown[] = [];
  const metrics = { ...noEndpointMetrics, afterTimeout: (...report: unknown[]) => void reported.push(report) };
  const environment = { deadlines: new Deadlines(), metrics };
  const work = () => new Promise((resolve) => setTimeout(resolve, 60_000)).then(end);
  const scope = { environment } as Pick<EndpointScope, never> as EndpointScope;
  const finishing = finishRequest(scope, performance.now() + 34_000, work).catch((error: Error) => error.message);
  await vi.advanceTimersByTimeAsync(34_000);
  expect([await finishing, reported]).toEqual([TOO_LATE[1], []]);
  await vi.advanceTimersByTimeAsync(6 * 60_000);
  expect(reported).toEqual([['rest-handler', status]]);
});

test('a deletecollection may take longer', async () => {
  const server = createTestServer();
  const { deleteCollection } = server.storage;
  server.storage.deleteCollection = async (...args) => {
    await new Promise((resolve) => setTimeout(resolve, 50_000));
    return deleteCollection(...args);
  };
  const response = server.call({ method: 'DELETE', url: CONFIG_MAPS });
  await vi.advanceTimersByTimeAsync(50_000);
  expect((await response).status).toBe(200);
});
