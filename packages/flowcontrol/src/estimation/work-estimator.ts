import type { Exchange, ObjectStats, RequestInfo } from '@apiserver/apiserver-contracts';
import { ONE_SEAT, type WorkEstimate } from '../fair-queuing/work-estimate.js';
import { type ListQuery, listQueryOf, needsSnapshot } from './list-query.js';
import type { WatchTracker } from './watch-tracker.js';

/** The stats of a resource; undefined if this server has none of it. */
export type ObjectStatsSource = (apiGroup: string, resource: string) => ObjectStats | undefined;

/** Dependencies of the estimates. */
export interface WorkEstimatorOptions {
  readonly stats: ObjectStatsSource;
  readonly watches: Pick<WatchTracker, 'interested'>;
  /** Lists cost by bytes, not by objects. Upstream feature gate: SizeBasedListCostEstimate */
  readonly bySize: boolean;
  /** Watches cost as lists do. Upstream feature gate: WatchList. Default: true. */
  readonly watchLists?: boolean;
}

/** Facts about a request that only an estimate finds out. */
export interface EstimateObserver {
  watchers(count: number): void;
}

const OBJECTS_PER_SEAT = 100;
const WATCHES_PER_SEAT = 10;
/** Work of one seat for the events of one write, in milliseconds. */
const EVENT_MS = 5;
const BYTES_PER_SEAT = 100_000;
/** A list from the cache streams, and holds this much at a time at most. */
const STREAMED_BYTES = 1_000_000;
/** Upstream: maxObjectSize */
const MAX_OBJECT_BYTES = 1_500_000;
const MAX_MUTATING_SEATS = 10;

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

/**
 * Estimates the seats of requests. A watch that asks for initial events costs as a list does.
 * Upstream: k8s.io/apiserver/pkg/util/flowcontrol/request (width.go, list_work_estimator.go,
 * mutating_work_estimator.go)
 */
export class WorkEstimator {
  readonly #options: WorkEstimatorOptions;
  readonly #maxListSeats: number;

  constructor(options: WorkEstimatorOptions) {
    this.#options = options;
    this.#maxListSeats = options.bySize ? 100 : 10;
  }

  /** `maxSeats`: the most seats of a request at its level; 0 for no such limit. */
  estimate(exchange: Exchange, info: RequestInfo, maxSeats: number, observer: EstimateObserver): WorkEstimate {
    const { verb } = info;
    if (verb === 'watch' && this.#options.watchLists === false) return ONE_SEAT;
    if (verb === 'list' || verb === 'watch') return this.#list(exchange, info, maxSeats);
    return WRITES.has(verb) ? this.#write(info, maxSeats, observer) : ONE_SEAT;
  }

  #list({ request }: Exchange, info: RequestInfo, maxSeats: number): WorkEstimate {
    const limit = maxSeats === 0 ? this.#maxListSeats : Math.min(maxSeats, this.#maxListSeats);
    const query = listQueryOf(request);
    if (query === undefined) return initially(limit);
    if (info.verb === 'watch' && !query.sendInitialEvents && !isLegacyWatch(query)) return ONE_SEAT;
    const stats = this.#options.stats(info.apiGroup, info.resource);
    if (stats === undefined) return ONE_SEAT;
    const fromCache = info.verb === 'watch' || !needsSnapshot(query);
    const seats = this.#options.bySize
      ? seatsBySize(stats, query, { fromCache, isSingle: info.name !== '' })
      : seatsByCount(stats, query, { fromCache, isSingle: info.name !== '' });
    return initially(Math.min(Math.max(seats, 1), limit));
  }

  #write(info: RequestInfo, maxSeats: number, observer: EstimateObserver): WorkEstimate {
    if (info.resource === 'serviceaccounts' && info.subresource === 'token') return ONE_SEAT;
    const watchers = this.#options.watches.interested(info);
    observer.watchers(watchers);
    if (watchers < WATCHES_PER_SEAT) return ONE_SEAT;
    const limit = maxSeats === 0 ? MAX_MUTATING_SEATS : Math.min(maxSeats, MAX_MUTATING_SEATS);
    const wanted = Math.ceil(watchers / WATCHES_PER_SEAT);
    const finalSeats = Math.min(wanted, limit);
    // Fewer seats for a longer time are the same work.
    return { initialSeats: 1, finalSeats, additionalLatency: (wanted * EVENT_MS) / finalSeats };
  }
}

function initially(initialSeats: number): WorkEstimate {
  return initialSeats === 1 ? ONE_SEAT : { initialSeats, finalSeats: 0, additionalLatency: 0 };
}

/** A watch from version 0, or from none, begins with the present objects. */
function isLegacyWatch({ resourceVersion }: ListQuery): boolean {
  return resourceVersion === '' || resourceVersion === '0';
}

interface ListKind {
  readonly fromCache: boolean;
  readonly isSingle: boolean;
}

function seatsByCount({ count }: ObjectStats, query: ListQuery, { fromCache, isSingle }: ListKind): number {
  const limited = limitedCount(count, query);
  let objects = 2 * limited;
  if (isSingle) objects = 1;
  else if (fromCache) objects = count;
  else if (query.hasSelector) objects = count + limited;
  return Math.ceil(objects / OBJECTS_PER_SEAT);
}

function seatsBySize(stats: ObjectStats, query: ListQuery, { fromCache, isSingle }: ListKind): number {
  const { count } = stats;
  const averageBytes = stats.averageBytes <= 0 && count !== 0 ? MAX_OBJECT_BYTES : stats.averageBytes;
  let objects = limitedCount(count, query);
  if (isSingle) objects = 1;
  else if (!fromCache && query.hasSelector) objects = Math.max(objects, Math.trunc(count / 2));
  const bytes = objects * averageBytes;
  return Math.ceil((fromCache ? Math.min(bytes, STREAMED_BYTES) : bytes) / BYTES_PER_SEAT);
}

function limitedCount(count: number, { limit }: ListQuery): number {
  return limit > 0 && limit < count ? limit : count;
}
