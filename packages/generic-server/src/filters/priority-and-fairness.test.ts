import { AsyncLocalStorage } from 'node:async_hooks';
import type { FlowSchema, PriorityLevelConfiguration } from '@apiserver/api/flowcontrol/v1';
import { afterPromises, monotonicClock } from '@apiserver/apimachinery/clock';
import type { ApiResponse, Exchange, Handler, UserInfo } from '@apiserver/apiserver-contracts';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { resolveRequestInfo } from '@apiserver/endpoints-installer';
import {
  FlowControl,
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
  suggestedFlowSchemas,
} from '@apiserver/flowcontrol';
import { beforeEach, describe, expect, it } from 'vitest';
import { isLongRunning } from '../request/long-running.js';
import { callHandler, createInProcessExchange } from '../testing/index.js';
import { buildHandlerChain } from './handler-chain.js';
import { priorityAndFairness } from './priority-and-fairness.js';
import { requestInfo } from './request-info.js';

const root: UserInfo = { name: 'root', groups: ['system:masters'], extra: {} };
const bob: UserInfo = { name: 'bob', groups: ['system:authenticated'], extra: {} };
const ANY = ['*'];

/** A level for bob with one seat, and one queue of one request. */
const tight: PriorityLevelConfiguration = {
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'PriorityLevelConfiguration',
  metadata: { name: 'tight', uid: 'uid-of-tight' },
  spec: {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: 1,
      borrowingLimitPercent: 0,
      limitResponse: { type: 'Queue', queuing: { queues: 1, handSize: 1, queueLengthLimit: 1 } },
    },
  },
  status: {},
};
const ofBob: FlowSchema = {
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'FlowSchema',
  metadata: { name: 'of-bob', uid: 'uid-of-bob' },
  spec: {
    priorityLevelConfiguration: { name: 'tight' },
    matchingPrecedence: 50,
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: 'bob' } }],
        resourceRules: [{ verbs: ANY, apiGroups: ANY, resources: ANY, clusterScope: true, namespaces: ANY }],
      },
    ],
  },
  status: {},
};

let registry: MetricsRegistry;
let flowControl: FlowControl;
let responses: PromiseWithResolvers<ApiResponse>[];

beforeEach(() => {
  registry = new MetricsRegistry();
  responses = [];
  const loop = {
    now: () => performance.now(),
    nextTurn: (callback: () => void) => void setImmediate(callback),
    afterPromises,
  };
  flowControl = new FlowControl({
    seats: 5,
    clock: monotonicClock,
    loop,
    metrics: registry,
    logger: silentLogger,
    bySize: true,
  });
  flowControl.configure(
    [tight, ...mandatoryPriorityLevels],
    [ofBob, ...mandatoryFlowSchemas, ...suggestedFlowSchemas],
    () => {},
  );
});

const slow: Handler = () => {
  const response = Promise.withResolvers<ApiResponse>();
  responses.push(response);
  return response.promise;
};
const done: ApiResponse = { type: 'bytes', status: 200, body: undefined };

function around(handler: Handler, user: UserInfo, requestTimeout = 60_000): Handler {
  const as = {
    name: 'as',
    wrap: (next: Handler) => (exchange: Exchange) => {
      exchange.context.user = user;
      return next(exchange);
    },
  };
  const filter = priorityAndFairness({
    flowControl,
    longRunning: isLongRunning,
    requestTimeout,
  });
  return buildHandlerChain(handler, [requestInfo(silentLogger), as, filter]);
}

/** Sends a request; its handler runs until the response of the same number is settled. */
function send(url = '/api/v1/pods', user = bob, requestTimeout?: number) {
  const exchange = createInProcessExchange({ url });
  const response = (async () => around(slow, user, requestTimeout)(exchange))();
  response.catch(() => {});
  return { exchange, response };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const metric = async (text: string) =>
  (await registry.expose()).text.split('\n').find((line) => line.startsWith(`apiserver_flowcontrol_${text}`));

it('names level and flow schema by their uids', async () => {
  const { headers } = await callHandler(
    around(() => done, bob),
    { url: '/api/v1/pods' },
  );
  expect([headers['x-kubernetes-pf-flowschema-uid'], headers['x-kubernetes-pf-prioritylevel-uid']]).toEqual([
    'uid-of-bob',
    'uid-of-tight',
  ]);
});

it('lets a request wait for a seat, and rejects one without a place', async () => {
  const first = send();
  const second = send();
  await settled();
  expect(responses.length).toBe(1);
  expect(await callHandler(around(slow, bob), { url: '/api/v1/pods' })).toMatchObject({
    status: 429,
    headers: {
      'retry-after': '1',
      'content-type': 'text/plain; charset=utf-8',
      'x-kubernetes-pf-prioritylevel-uid': 'uid-of-tight',
    },
    body: 'Too many requests, please try again later.\n',
  });
  responses[0]?.resolve(done);
  await first.response;
  await settled();
  expect(responses.length).toBe(2);
  responses[1]?.resolve(done);
  expect(await second.response).toEqual(done);
  expect(await metric('rejected_requests_total')).toBe(
    'apiserver_flowcontrol_rejected_requests_total{flow_schema="of-bob",priority_level="tight",reason="queue-full"} 1',
  );
  const labels = 'execute="false",flow_schema="of-bob",priority_level="tight"';
  expect((await registry.expose()).text).toContain(
    `apiserver_flowcontrol_request_wait_duration_seconds_count{${labels}} 1`,
  );
});

it('runs a request that waited in its own context, not in that of the request before', async () => {
  const context = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const handler: Handler = (exchange) => {
    seen.push(context.getStore());
    return slow(exchange);
  };
  const both = ['first', 'second'].map((name) =>
    context.run(name, async () => around(handler, bob)(createInProcessExchange({ url: '/api/v1/pods' }))),
  );
  for (let i = 0; i < 2; i++) {
    await expect.poll(() => seen.length).toBe(i + 1);
    responses[i]?.resolve(done);
  }
  await Promise.all(both);
  expect(seen).toEqual(['first', 'second']);
});

it('never lets system:masters, probes and long requests wait', async () => {
  send();
  send();
  await settled();
  const ok = (user: UserInfo, url: string) =>
    callHandler(
      around(() => done, user),
      { url },
    );
  const statuses = await Promise.all([
    ok(root, '/api/v1/pods'),
    ok(bob, '/livez'),
    ok(bob, '/api/v1/namespaces/n/pods/p/log'),
    ok(bob, '/api/v1/pods'),
  ]);
  expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
});

it('forgets a waiting request whose client has gone', async () => {
  send();
  const gone = send();
  await settled();
  gone.exchange.finish({ status: 0, bytesWritten: 0, aborted: true });
  expect(await gone.response).toMatchObject({ status: 429 });
  const next = send();
  responses[0]?.resolve(done);
  await settled();
  responses[1]?.resolve(done);
  expect(await next.response).toEqual(done);
});

it('rejects a request that has waited for a fourth of its time', async () => {
  send();
  expect(await send('/api/v1/pods', bob, 40).response).toMatchObject({ status: 429 });
  expect(await metric('rejected_requests_total')).toContain('reason="time-out"} 1');
});

it.each([
  [
    'throws',
    () => {
      throw new RangeError('broken');
    },
  ],
  ['rejects', () => Promise.reject(new RangeError('broken'))],
])('gives the seat back when the handler %s', async (_, handler) => {
  for (let i = 0; i < 3; i++) {
    await expect(
      (async () => around(handler, bob)(createInProcessExchange({ url: '/api/v1/pods' })))(),
    ).rejects.toThrow('broken');
  }
  expect(flowControl.levels.get('tight')?.queueSet.seatsInUse).toBe(0);
});

describe('a watch', () => {
  const stream: ApiResponse = { type: 'stream', status: 200, run: async () => {} };
  const seats = () => flowControl.levels.get('tight')?.queueSet.seatsInUse;

  it('keeps its seats until its first events are sent', async () => {
    const { exchange, response } = send('/api/v1/pods?watch=1');
    await settled();
    responses[0]?.resolve(stream);
    await response;
    expect(seats()).toBe(1);
    exchange.context.watchInitialized?.();
    expect(seats()).toBe(0);
  });

  it('keeps them for a short time only if its client does not read', async () => {
    const { response } = send('/api/v1/pods?watch=1');
    await settled();
    responses[0]?.resolve(stream);
    await response;
    await expect.poll(seats).toBe(0);
  });

  it('counts for writes until it ends', async () => {
    const { exchange } = send('/api/v1/pods?watch=1', root);
    const interested = () => {
      const info = resolveRequestInfo({
        method: 'DELETE',
        url: '/api/v1/namespaces/n/pods/p',
        path: '/api/v1/namespaces/n/pods/p',
        rawQuery: '',
        query: new URLSearchParams(),
      });
      return flowControl.watches.interested(info);
    };
    expect(interested()).toBe(1);
    exchange.finish({ status: 200, bytesWritten: 0, aborted: false });
    expect(interested()).toBe(0);
  });
});

it('makes the parts of a long response in turns, and gives the seat back before', async () => {
  const chunks = [new Uint8Array(3), new Uint8Array(4)];
  const response = await around(
    () => ({ type: 'chunks', status: 200, chunks }),
    bob,
  )(createInProcessExchange({ url: '/api/v1/pods' }));
  expect([flowControl.levels.get('tight')?.queueSet.seatsInUse, response.type]).toEqual([0, 'chunks']);
  const read: number[] = [];
  if (response.type === 'chunks') for await (const chunk of response.chunks) read.push(chunk.length);
  expect(read).toEqual([3, 4]);
});

it('removes a level only when its last request has ended', async () => {
  const { response } = send();
  await settled();
  let drained = 0;
  flowControl.configure([], [], () => drained++);
  expect(flowControl.levels.get('tight')?.isQuiescing).toBe(true);
  responses[0]?.resolve(done);
  await response;
  expect(drained).toBe(1);
  flowControl.configure([], [], () => {});
  expect([...flowControl.levels.keys()].sort()).toEqual(['catch-all', 'exempt']);
});
