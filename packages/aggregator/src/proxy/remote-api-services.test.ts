import type { APIService } from '@apiserver/api/apiregistration/v1';
import { newServiceUnavailable, plainFailure } from '@apiserver/apimachinery/errors';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { resolveRequestInfo } from '@apiserver/endpoints-installer';
import { createInProcessExchange } from '@apiserver/generic-server/testing';
import type { proxyRequest } from '@apiserver/proxy';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RemoteApiServices, type RemoteApiServicesOptions } from './remote-api-services.js';

const passed = vi.hoisted(() => vi.fn<typeof proxyRequest>());
vi.mock('@apiserver/proxy', () => ({ proxyRequest: passed }));

beforeEach(() => {
  passed.mockReset();
  passed.mockResolvedValue({ type: 'bytes', status: 200, body: undefined });
});

afterEach(() => void vi.useRealTimers());

const apiService: APIService = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.example.com' },
  spec: {
    group: 'example.com',
    version: 'v1',
    groupPriorityMinimum: 1,
    versionPriority: 1,
    service: { namespace: 'ns', name: 'svc' },
    insecureSkipTLSVerify: true,
  },
  status: { conditions: [{ type: 'Available', status: 'True', reason: '', message: '' }] },
};

async function pass(url: string, options: Partial<Pick<RemoteApiServicesOptions, 'sendsUid' | 'resolve'>> = {}) {
  const remotes = new RemoteApiServices({
    resolve: () => ({ hostname: '127.0.0.1', port: 443 }),
    certificate: () => ({ certificate: '', key: '' }),
    rejectRedirects: true,
    logger: silentLogger,
    ...options,
  });
  remotes.changed(apiService);
  const exchange = createInProcessExchange({ url, headers: { 'x-remote-uid': 'forged' } });
  exchange.context.requestInfo = resolveRequestInfo(exchange.request);
  exchange.context.user = { name: 'amy', uid: 'u', groups: ['g'], extra: {} };
  exchange.responseHeaders.set('cache-control', 'ours');
  const response = await remotes.handlerFor('/apis/example.com/v1/things')?.(exchange);
  const [sent, target] = passed.mock.lastCall ?? [];
  const { responseHeaders } = exchange;
  return { headers: sent?.request.headers, target, response, responseHeaders };
}

async function passedHeaders(options: Pick<RemoteApiServicesOptions, 'sendsUid'>) {
  const { headers, target } = await pass('/apis/example.com/v1/things', options);
  return [target?.isIdentified, ...['user', 'uid', 'group'].map((name) => headers?.get(`x-remote-${name}`))];
}

it('tells a remote server the user, whom the client cannot change', async () => {
  expect(await passedHeaders({})).toEqual([true, 'amy', 'u', 'g']);
});

it('keeps the UID to itself if the feature is off', async () => {
  expect(await passedHeaders({ sendsUid: false })).toEqual([true, 'amy', undefined, 'g']);
});

it('tells a remote server the query in the order of its keys', async () => {
  const { target } = await pass('/apis/example.com/v1/things?watch=true&fieldSelector=a%3db&watch=0');
  expect(target?.location).toMatchObject({
    path: '/apis/example.com/v1/things',
    rawQuery: 'fieldSelector=a%3Db&watch=true&watch=0',
  });
});

it('does not tell a client why a service has no address', async () => {
  const resolve = () => {
    throw newServiceUnavailable('no endpoints available for service "svc"');
  };
  const { response } = await pass('/apis/example.com/v1/things', { resolve });
  expect(response).toMatchObject({ status: 503, body: Buffer.from('service unavailable\n') });
});

it('tells a client why a server did not upgrade, and nothing about other failures', async () => {
  const bodies: unknown[] = [];
  for (const error of [plainFailure(500, 'invalid upgrade response: status code 200'), new Error('internal')]) {
    passed.mockRejectedValueOnce(error);
    const { response } = await pass('/apis/example.com/v1/things');
    bodies.push(response?.type === 'bytes' && [response.status, String(response.body)]);
  }
  expect(bodies).toEqual([
    [503, 'invalid upgrade response: status code 200\n'],
    [503, 'service unavailable\n'],
  ]);
});

it('drops all of a redirect but the headers of this server', async () => {
  passed.mockImplementation(async ({ responseHeaders }) => {
    responseHeaders.append('cache-control', 'theirs');
    responseHeaders.set('location', '/elsewhere');
    return { type: 'bytes', status: 302, body: undefined };
  });
  const { response, responseHeaders } = await pass('/apis/example.com/v1/things');
  expect([response, Object.fromEntries(responseHeaders.entries())]).toMatchObject([
    { status: 502, body: Buffer.from('the backend attempted to redirect this request, which is not permitted') },
    { 'cache-control': 'ours', 'content-type': 'text/plain; charset=utf-8' },
  ]);
  expect(responseHeaders.has('location')).toBe(false);
});

it.each([
  ['/apis/example.com/v1', 'late'],
  ['/apis/example.com/v1//', 'late'],
  ['/apis/example.com/v1/things', 'waits'],
  ['/apis/example.com/v1/namespaces/n/things', 'waits'],
])('gives a server five seconds for discovery: %s %s', async (url, expected) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  passed.mockImplementationOnce(
    ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
  );
  let response: Awaited<ReturnType<typeof pass>>['response'];
  void pass(url).then((result) => {
    response = result.response;
  });
  await vi.waitFor(() => expect(passed).toHaveBeenCalled());
  await vi.advanceTimersByTimeAsync(4_000);
  expect(response).toBeUndefined();
  await vi.advanceTimersByTimeAsync(60_000);
  const text = 'error trying to reach service: context deadline exceeded\n';
  expect(response).toEqual(
    expected === 'late' ? expect.objectContaining({ status: 503, body: Buffer.from(text) }) : undefined,
  );
});
