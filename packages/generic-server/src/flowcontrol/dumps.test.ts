import type { PriorityLevelConfiguration } from '@apiserver/api/flowcontrol/v1';
import { afterPromises } from '@apiserver/apimachinery/clock';
import type { Handler } from '@apiserver/apiserver-contracts';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { resolveRequestInfo } from '@apiserver/endpoints-installer';
import { FlowControl, mandatoryFlowSchemas, mandatoryPriorityLevels } from '@apiserver/flowcontrol';
import { expect, it } from 'vitest';
import { PathMux } from '../mux/non-go-restful-mux.js';
import { callHandler, createInProcessExchange } from '../testing/index.js';
import { installFlowControlDumps } from './dumps.js';

/** A level with this many queues. */
function levelOf(queues: number): PriorityLevelConfiguration {
  const limitResponse = { type: 'Queue', queuing: { queues, handSize: 1, queueLengthLimit: 50 } };
  return {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    metadata: { name: 'wide' },
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse } },
    status: {},
  };
}

function setUp(levels: readonly PriorityLevelConfiguration[] = []) {
  const loop = { now: () => 0, nextTurn: () => {}, afterPromises };
  const clock = { now: () => 0, schedule: () => () => {} };
  const flowControl = new FlowControl({
    seats: 10,
    clock,
    loop,
    metrics: new MetricsRegistry(),
    logger: silentLogger,
    bySize: true,
  });
  flowControl.configure([...levels, ...mandatoryPriorityLevels], mandatoryFlowSchemas, () => {});
  const exchange = createInProcessExchange({ url: '/api/v1/namespaces/n/pods/p' });
  const info = resolveRequestInfo(exchange.request);
  const request = { exchange, info, user: { name: 'bob', groups: ['system:authenticated'], extra: {} } };
  flowControl.start(flowControl.classify(request), request);
  const mux = new PathMux();
  installFlowControlDumps(mux, flowControl);
  const read = async (path: string) => {
    const none = () => ({ type: 'bytes', status: 404, body: undefined }) as const;
    const handler: Handler = (asked) => (mux.handlerFor(asked, none) ?? none)(asked);
    return (await callHandler(handler, { url: path })).body.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) =>
      'T'.padEnd(time.length),
    );
  };
  return { mux, read };
}

const ROOT = '/debug/api_priority_and_fairness';

it('lists levels, queues and requests in columns', async () => {
  const { read, mux } = setUp();
  expect(await read(`${ROOT}/dump_priority_levels`)).toBe(
    [
      'PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests',
      'catch-all,         0,            false,  false,       0,               1,                 1,                  0,                0,                0',
      'exempt,            0,            true,   false,       0,               0,                 0,                  0,                0,                0',
      '',
    ].join('\n'),
  );
  expect(await read(`${ROOT}/dump_queues`)).toBe(
    'PriorityLevelName, Index,  PendingRequests, ExecutingRequests, SeatsInUse, NextDispatchR, InitialSeatsSum, MaxSeatsSum, TotalWorkSum\n',
  );
  const requests = (await read(`${ROOT}/dump_requests?includeRequestDetails=1`)).split('\n');
  expect(requests.map((line) => line.split(/,\s+/).map((cell) => cell.trim()))).toEqual([
    [
      ...['PriorityLevelName', 'FlowSchemaName', 'QueueIndex', 'RequestIndexInQueue', 'FlowDistingsher', 'ArriveTime'],
      ...['InitialSeats', 'FinalSeats', 'AdditionalLatency', 'StartTime', 'UserName', 'Verb', 'APIPath', 'Namespace'],
      ...['Name', 'APIVersion', 'Resource', 'SubResource'],
    ],
    [
      ...['catch-all', 'catch-all', '-1', '-1', '', 'T', '1', '0', '0s', 'T', 'bob', 'get'],
      ...['/api/v1/namespaces/n/pods/p', 'n', 'p', 'v1', 'pods', ''],
    ],
    [''],
  ]);
  expect(mux.listedPaths()).toEqual([]);
});

it.each([
  [1, 1],
  [2_000, 0],
])('lists unused queues of a level with %i of them: %i', async (queues, listed) => {
  const { read } = setUp([levelOf(queues)]);
  const rows = (await read(`${ROOT}/dump_queues`)).split('\n').filter((line) => line.startsWith('wide,'));
  expect(rows.length).toBe(listed);
});
