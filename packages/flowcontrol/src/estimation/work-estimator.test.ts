import type { ObjectStats, RequestInfo } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { listQueryOf } from './list-query.js';
import { WorkEstimator } from './work-estimator.js';

const INFO: RequestInfo = {
  isResourceRequest: true,
  path: '',
  verb: 'list',
  apiPrefix: 'api',
  apiGroup: '',
  apiVersion: 'v1',
  namespace: '',
  resource: 'pods',
  subresource: '',
  name: '',
  parts: [],
  fieldSelector: '',
  labelSelector: '',
};

interface Setting {
  readonly stats?: ObjectStats | undefined;
  readonly watchers?: number;
  readonly bySize?: boolean;
  readonly maxSeats?: number;
  readonly watchLists?: boolean;
}

function estimate(query: string, info: Partial<RequestInfo>, setting: Setting = {}) {
  const { watchers = 0, bySize = false, maxSeats = 0, watchLists = true } = setting;
  const stats = 'stats' in setting ? setting.stats : { count: 799, averageBytes: 1000 };
  const estimator = new WorkEstimator({
    stats: () => stats,
    watches: { interested: () => watchers },
    bySize,
    watchLists,
  });
  const seen: number[] = [];
  // Only the query of a request counts.
  const exchange = { request: { rawQuery: query, query: new URLSearchParams(query) } } as never;
  const result = estimator.estimate(exchange, { ...INFO, ...info }, maxSeats, {
    watchers: (count) => void seen.push(count),
  });
  return { ...result, seen };
}

const seatsOf = (query: string, info: Partial<RequestInfo> = {}, setting?: Setting) =>
  estimate(query, info, setting).initialSeats;

/** Upstream: TestWorkEstimator of k8s.io/apiserver/pkg/util/flowcontrol/request/width_test.go */
describe('lists by the number of objects', () => {
  it.each<[string, string, Partial<RequestInfo>, number]>([
    ['all, from the cache', '', {}, 8],
    ['a page, consistent', 'limit=399', {}, 8],
    ['a page at a version', 'limit=399&resourceVersion=5', {}, 8],
    ['a small page at a version', 'limit=99&resourceVersion=5', {}, 2],
    ['a selected page at a version', 'limit=99&resourceVersion=5&labelSelector=a', {}, 9],
    ['a continued page', 'limit=399&continue=x', {}, 8],
    ['a small continued page', 'limit=100&continue=x', {}, 2],
    ['an exact version', 'resourceVersion=5&resourceVersionMatch=Exact&limit=50', {}, 1],
    ['not older than', 'resourceVersion=5&resourceVersionMatch=NotOlderThan&limit=50', {}, 8],
    ['one name', 'fieldSelector=metadata.name%3Da', { name: 'a' }, 1],
    ['a limit that is no number', 'limit=x', {}, 10],
    ['an empty limit', 'limit=&resourceVersion=0&fieldSelector=metadata.name%3Da', {}, 10],
    ['a limit beyond 64 bits', 'limit=9223372036854775808&fieldSelector=metadata.name%3Da', { name: 'a' }, 10],
    ['a duration that is no number', 'timeoutSeconds=x&limit=1', {}, 10],
    ['a watch from the present', 'watch=1&resourceVersion=5', { verb: 'watch' }, 1],
    ['a watch from anywhere', 'watch=1', { verb: 'watch' }, 8],
    ['a watch with initial events', 'watch=1&resourceVersion=5&sendInitialEvents=true', { verb: 'watch' }, 8],
    ['a get', '', { verb: 'get' }, 1],
  ])('%s: %s', (_, query, info, seats) => expect(seatsOf(query, info)).toBe(seats));

  it('takes one seat for a watch without the feature WatchList', () => {
    expect(seatsOf('watch=1', { verb: 'watch' }, { watchLists: false })).toBe(1);
    expect(seatsOf('', {}, { watchLists: false })).toBe(8);
  });

  it('takes one seat for unknown resources, and at most those of the level', () => {
    expect(seatsOf('', {}, { stats: undefined })).toBe(1);
    expect(seatsOf('', {}, { stats: { count: 1e6, averageBytes: 1 } })).toBe(10);
    expect(seatsOf('', {}, { maxSeats: 3 })).toBe(3);
  });
});

describe('lists by bytes', () => {
  const setting = (count: number, averageBytes: number): Setting => ({ bySize: true, stats: { count, averageBytes } });
  it.each<[string, string, Setting, number]>([
    ['streamed from the cache', '', setting(100_000, 1000), 10],
    ['a page from the cache', 'limit=100', setting(100_000, 10_000), 10],
    ['a small page from the cache', 'limit=100', setting(100_000, 2000), 2],
    ['at a version', 'limit=1000&resourceVersion=5', setting(10_000, 10_000), 100],
    ['selected at a version', 'limit=10&resourceVersion=5&labelSelector=a', setting(1000, 1000), 5],
    ['of unknown size', 'limit=2&resourceVersion=5', setting(1000, 0), 30],
  ])('%s: %s', (_, query, given, seats) => expect(seatsOf(query, {}, given)).toBe(seats));
});

describe('writes', () => {
  it.each<[number, number, object]>([
    [0, 0, { initialSeats: 1, finalSeats: 0, additionalLatency: 0 }],
    [9, 0, { initialSeats: 1, finalSeats: 0, additionalLatency: 0 }],
    [10, 0, { initialSeats: 1, finalSeats: 1, additionalLatency: 5 }],
    [29, 0, { initialSeats: 1, finalSeats: 3, additionalLatency: 5 }],
    [1000, 0, { initialSeats: 1, finalSeats: 10, additionalLatency: 50 }],
    [100, 5, { initialSeats: 1, finalSeats: 5, additionalLatency: 10 }],
  ])('with %i watchers, and at most %i seats', (watchers, maxSeats, expected) => {
    expect(estimate('', { verb: 'create' }, { watchers, maxSeats })).toEqual({ ...expected, seen: [watchers] });
  });

  it('cause no event if they are tokens', () => {
    const info = { verb: 'create', resource: 'serviceaccounts', subresource: 'token' };
    expect(estimate('', info, { watchers: 100 })).toMatchObject({ finalSeats: 0, seen: [] });
  });
});

it.each([
  ['', true],
  ['sendInitialEvents=false', false],
  ['sendInitialEvents=0', false],
  ['sendInitialEvents=1', true],
])('reads the query %s', (rawQuery, expected) => {
  const query = listQueryOf({ rawQuery, query: new URLSearchParams(rawQuery) } as never);
  expect(rawQuery === '' ? query?.sendInitialEvents === false : query?.sendInitialEvents === expected).toBe(true);
});
