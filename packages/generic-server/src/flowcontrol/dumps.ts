import { monotonicClock, systemClock } from '@apiserver/apimachinery/clock';
import type { Handler } from '@apiserver/apiserver-contracts';
import { formatGoDuration } from '@apiserver/component-base/flags';
import { type FlowControl, formatSeatSeconds, type SeatRequest } from '@apiserver/flowcontrol';
import type { NonGoRestfulMux } from '../mux/non-go-restful-mux.js';
import { plainText } from '../serving/transport/plain-text.js';
import { alignColumns } from './align-columns.js';

type PriorityLevel = FlowControl['levels'] extends ReadonlyMap<string, infer Level> ? Level : never;
type Row = readonly (string | number | boolean)[];

const ROOT = '/debug/api_priority_and_fairness/';

/**
 * Serves the state of the queues as text.
 * Upstream: k8s.io/apiserver/pkg/util/flowcontrol/apf_controller_debug.go
 */
export function installFlowControlDumps(mux: NonGoRestfulMux, flowControl: FlowControl): void {
  const dumps: Readonly<Record<string, (query: URLSearchParams) => readonly Row[]>> = {
    dump_priority_levels: () => priorityLevels(flowControl),
    dump_queues: () => queues(flowControl),
    dump_requests: (query) => requests(flowControl, Boolean(query.get('includeRequestDetails'))),
  };
  for (const [name, dump] of Object.entries(dumps)) {
    const handler: Handler = (exchange) => plainText(exchange, 200, alignColumns(dump(exchange.request.query)));
    mux.handle(`${ROOT}${name}`, handler, { unlisted: true });
  }
}

const LEVEL_COLUMNS = [
  ...['PriorityLevelName', 'ActiveQueues', 'IsIdle', 'IsQuiescing', 'WaitingRequests', 'ExecutingRequests'],
  ...['DispatchedRequests', 'RejectedRequests', 'TimedoutRequests', 'CancelledRequests'],
];

function priorityLevels(flowControl: FlowControl): Row[] {
  const rows = sortedLevels(flowControl).map(({ name, isQuiescing, queueSet }): Row => {
    const active = [...queueSet.queues.used].filter(({ waiting }) => waiting > 0).length;
    const { dispatched, rejected, cancelled } = queueSet.totals;
    // Upstream counts no time-outs apart from cancelled requests.
    return [
      ...[name, active, queueSet.isIdle, isQuiescing, queueSet.waiting, queueSet.executing],
      ...[dispatched, rejected, 0, cancelled],
    ];
  });
  return [LEVEL_COLUMNS, ...rows];
}

const QUEUE_COLUMNS = [
  ...['PriorityLevelName', 'Index', 'PendingRequests', 'ExecutingRequests', 'SeatsInUse', 'NextDispatchR'],
  ...['InitialSeatsSum', 'MaxSeatsSum', 'TotalWorkSum'],
];

function queues(flowControl: FlowControl): Row[] {
  const rows = sortedLevels(flowControl).flatMap(({ name, queueSet }) =>
    listed(queueSet.queues).map(
      (queue): Row => [
        ...[name, queue.index, queue.waiting, queue.executing.size, queue.seatsInUse],
        formatSeatSeconds(queue.nextDispatchR),
        ...[queue.initialSeatsWaiting, queue.maxSeatsWaiting, formatSeatSeconds(queue.workWaiting)],
      ],
    ),
  );
  return [QUEUE_COLUMNS, ...rows];
}

/** Queues of a level that are listed even if they have had no request. */
const LISTED_UNUSED = 1_000;

type Queues = PriorityLevel['queueSet']['queues'];
type Queue = Queues extends Iterable<infer Q> ? Q : never;

function listed(queues: Queues): Queue[] {
  return queues.size <= LISTED_UNUSED ? [...queues] : [...queues.used].sort(byIndex);
}

function byIndex(a: Queue, b: Queue): number {
  return a.index - b.index;
}

/** Upstream's spelling. */
const REQUEST_COLUMNS = [
  ...['PriorityLevelName', 'FlowSchemaName', 'QueueIndex', 'RequestIndexInQueue', 'FlowDistingsher', 'ArriveTime'],
  ...['InitialSeats', 'FinalSeats', 'AdditionalLatency', 'StartTime'],
];
const DETAIL_COLUMNS = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'];

function requests(flowControl: FlowControl, withDetails: boolean): Row[] {
  const rows = sortedLevels(flowControl).flatMap(({ name, queueSet }) => {
    const row = (request: SeatRequest, queue: number, index: number): Row => [
      ...[name, ...requestCells(request, queue, index)],
      ...(withDetails ? detailCells(request) : []),
    ];
    return [
      ...[...queueSet.queues.used]
        .sort(byIndex)
        .flatMap((queue) => [
          ...[...queue.requests()].map((request, i) => row(request, queue.index, i)),
          ...[...queue.executing].map((request) => row(request, queue.index, -1)),
        ]),
      ...[...queueSet.queueless].map((request) => row(request, -1, -1)),
    ];
  });
  return [[...REQUEST_COLUMNS, ...(withDetails ? DETAIL_COLUMNS : [])], ...rows];
}

function requestCells({ arrival, estimate, state, startTime }: SeatRequest, queue: number, index: number): Row {
  const { schema, distinguisher, now } = arrival;
  return [
    ...[schema, queue, index, distinguisher, timeOf(now), estimate.initialSeats, estimate.finalSeats],
    formatGoDuration(estimate.additionalLatency),
    state === 'waiting' ? ZERO_TIME : timeOf(startTime),
  ];
}

function detailCells({ arrival }: SeatRequest): Row {
  const { userName, verb, path, namespace, name, apiGroup, apiVersion, resource, subresource } = arrival.details();
  const groupVersion = apiGroup === '' ? apiVersion : `${apiGroup}/${apiVersion}`;
  return [userName, verb, path, namespace, name, groupVersion, resource, subresource];
}

/** Go's zero time. */
const ZERO_TIME = '0001-01-01T00:00:00Z';

/** The date of a time of the clock of durations, as Go's RFC3339Nano writes it. */
function timeOf(milliseconds: number): string {
  const date = new Date(systemClock.now() - monotonicClock.now() + milliseconds);
  return date.toISOString().replace(/\.?0*Z$/, 'Z');
}

function sortedLevels({ levels }: FlowControl) {
  return [...levels.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
