import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@apiserver/apimachinery/clock';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeyValueError } from '../key-value-error.js';
import { FakeEtcd } from '../testing/fake-etcd.js';
import { create, listOptions, names, watch } from '../testing/suites/storage-suite-fixture.js';
import { newWidgetCache } from '../testing/widget-cache.js';
import { ClusterHistory } from './cluster-history.js';
import type { EtcdStore } from './etcd-store.js';
import { RANGE, STATUS } from './methods.js';
import { openEtcdStore } from './open-etcd-store.js';

type Header = readonly [cluster: number | string, member: number, revision: number, term: number];

function response([cluster, member, revision, term]: Header): Uint8Array {
  const header = new BinaryWriter().uint32(0x0a).fork().uint32(0x08).uint64(cluster).uint32(0x10).uint64(member);
  return header.uint32(0x18).int64(revision).uint32(0x20).uint64(term).join().finish();
}

describe('ClusterHistory', () => {
  it.each<[what: string, before: Header, after: Header, why: readonly string[]]>([
    ['the same', [1, 1, 9, 2], [1, 1, 9, 2], []],
    ['a later one', [1, 1, 9, 2], [1, 1, 10, 3], []],
    ['that of another member whose term is lower', [1, 1, 9, 3], [1, 2, 9, 2], []],
    ['an earlier one', [1, 1, 9, 2], [1, 1, 8, 2], ['its revision went back from 9 to 8']],
    ['of a lower term', [1, 1, 9, 3], [1, 1, 9, 2], ["a member's term went back from 3 to 2"]],
    [
      'of another cluster',
      ['14841639068965178418', 1, 9, 2],
      [255, 1, 90, 2],
      ['cluster ff responded for cluster cdf818194e3a8c32'],
    ],
    ['without a header', [1, 1, 9, 2], [0, 0, 0, 0], []],
  ])('takes a response that is %s', (_, before, after, why) => {
    const reasons: string[] = [];
    const history = new ClusterHistory((reason) => reasons.push(reason));
    history.received(RANGE, response(before), history.sent());
    history.received(RANGE, response(after), history.sent());
    expect(reasons).toEqual(why);
    history.received(RANGE, response(after), history.sent());
    expect(reasons).toEqual(why);
  });

  it('ignores responses to requests from before a replacement', () => {
    const reasons: string[] = [];
    const history = new ClusterHistory((reason) => reasons.push(reason));
    const [early, ...late] = [history.sent(), history.sent()];
    history.received(RANGE, response([1, 1, 9, 2]), early);
    history.received(RANGE, response([1, 1, 8, 2]), late[0] ?? early);
    history.received(STATUS, response([1, 1, 2, 2]), history.sent());
    expect(reasons).toEqual([]);
    const beforeElection = history.sent();
    history.received(RANGE, response([1, 1, 10, 3]), history.sent());
    history.received(RANGE, response([1, 1, 10, 2]), beforeElection);
    expect(reasons).toEqual([]);
    const inFlight = history.sent();
    history.received(RANGE, response([1, 1, 2, 2]), history.sent());
    history.received(RANGE, response([1, 1, 1, 2]), inFlight);
    expect(reasons).toHaveLength(1);
  });
});

describe.each(['3.4.23', '3.5.21'])('an etcd %s that comes back empty', (version) => {
  let etcd: FakeEtcd;
  let store: EtcdStore;
  let reasons: string[];

  beforeEach(async () => {
    etcd = await FakeEtcd.start(version);
    reasons = [];
    store = await openEtcdStore({ servers: [etcd.url], compactionInterval: 0, replaced: (why) => reasons.push(why) });
  });
  afterEach(async () => {
    await store[Symbol.asyncDispose]();
    await etcd[Symbol.asyncDispose]();
  });

  it('is noticed by a running watch, and caches restart', async () => {
    await using cache = newWidgetCache({ store, clock: systemClock });
    for (const name of ['a', 'b', 'c']) await create(cache, `ns/${name}`);
    expect(names(await cache.list('', listOptions()))).toEqual(['a@2', 'b@3', 'c@4']);
    const recorder = await watch(cache, '', { resourceVersion: '4' });
    expect([reasons, store.replacement]).toEqual([[], undefined]);
    await etcd.empty();
    await expect.poll(() => reasons).toEqual([expect.stringMatching(/^its revision went back from \d to 1$/)]);
    expect(await recorder.ended()).toMatchObject({ status: { code: 410, reason: 'Expired' } });
    expect(store.replacement).toBe(reasons[0]);
    await create(cache, 'ns/new');
    await expect.poll(async () => names(await cache.list('', listOptions()))).toEqual(['new@2']);
    await sleep(10);
    expect(reasons).toHaveLength(1);
  });

  it('is noticed by the first write', async () => {
    const put = (key: string) => store.commit({ type: 'put', key, value: Buffer.from('x'), expectedRevision: 0 });
    for (const key of ['/k/a', '/k/b']) await put(key);
    const ended = Promise.withResolvers<KeyValueError>();
    const { store: emptied } = etcd;
    store.watch({ start: '/k/', end: '/k0', fromRevision: 4 }, { event: () => {}, end: ended.resolve });
    await store.currentRevision();
    await etcd.empty();
    await put('/k/c').catch(async () => await put('/k/c'));
    expect([reasons.length, (await ended.promise).keyValueErrorCode, etcd.store === emptied]).toEqual([
      ...[1, 'Compacted', false],
    ]);
  });
});
