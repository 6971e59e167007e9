import type { KubeObject } from '@apiserver/apimachinery';
import { newConflict, newServiceUnavailable } from '@apiserver/apimachinery/errors';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type { LoopbackClient } from '@apiserver/apiserver-contracts';
import { ManualClock } from '@apiserver/registry-store/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { fakeClient } from '../testing/fake-client.js';
import { loggerOf } from '../testing/service-fixtures.js';
import { coreEvents, seriesEvents } from './event-forms.js';
import { createEventRecorder, type EventForm } from './event-recorder.js';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const about: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '7' },
};
const occurrence = { reason: 'Because', action: 'Looking', note: 'so it is' };

let client: LoopbackClient;
let clock: ManualClock;
let logged: string[];

beforeEach(() => {
  client = fakeClient();
  clock = new ManualClock(NOW);
  logged = [];
});

function recorderOf<E extends KubeObject>(form: EventForm<E>) {
  const recorder = createEventRecorder({ form, client, clock, newUid: () => 'by-chance', logger: loggerOf(logged) });
  const events = client.resource<E>(form.resource);
  const written = async () => {
    await eventLoopTurns();
    return (await events.list('')).items.map(({ object }) => object);
  };
  return { recorder, events, written };
}

const regarding = { apiVersion: 'v1', kind: 'Service', name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '7' };

it('writes core events, and counts repetitions', async () => {
  const { recorder, written } = recorderOf(coreEvents('me'));
  recorder.warn(about, occurrence);
  const first = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'a.1886c2b04e49f200', namespace: 'ns' },
    involvedObject: regarding,
    reason: 'Because',
    message: 'so it is',
    source: { component: 'me' },
    reportingComponent: 'me',
    firstTimestamp: '2026-01-02T03:04:05Z',
    lastTimestamp: '2026-01-02T03:04:05Z',
    count: 1,
    type: 'Warning',
  };
  const name = `a.${(BigInt(NOW) * 1_000_000n).toString(16)}`;
  expect(await written()).toEqual([{ ...first, metadata: { name, namespace: 'ns' } }]);
  clock.advance(1000);
  recorder.warn(about, occurrence);
  recorder.warn(about, { ...occurrence, note: 'otherwise' });
  expect(await written()).toMatchObject([
    { count: 2, firstTimestamp: '2026-01-02T03:04:05Z', lastTimestamp: '2026-01-02T03:04:06Z' },
    { count: 1, message: 'otherwise' },
  ]);
});

it('writes events of events.k8s.io, with a series for repetitions', async () => {
  const { recorder, written } = recorderOf(seriesEvents('me', 'here'));
  recorder.warn(about, occurrence);
  expect(await written()).toMatchObject([
    {
      apiVersion: 'events.k8s.io/v1',
      eventTime: '2026-01-02T03:04:05.000000Z',
      reportingController: 'me',
      reportingInstance: 'me-here',
      action: 'Looking',
      reason: 'Because',
      note: 'so it is',
      regarding,
      type: 'Warning',
    },
  ]);
  const seriesAfter = async (milliseconds: number) => {
    clock.advance(milliseconds);
    recorder.warn(about, occurrence);
    return (await written()).map(({ series }) => series);
  };
  const second = { count: 2, lastObservedTime: '2026-01-02T03:04:06.000000Z' };
  expect(await seriesAfter(1000)).toEqual([second]);
  expect(await seriesAfter(1000)).toEqual([second]);
  // Neither a note nor minutes make it another series.
  recorder.warn(about, { ...occurrence, note: 'otherwise' });
  expect(await seriesAfter(200_000)).toEqual([second]);
  recorder.warn({ ...about, metadata: { ...about.metadata, resourceVersion: '8' } }, occurrence);
  expect((await written()).map(({ series }) => series)).toEqual([second, undefined]);
});

describe('a series', () => {
  const minutes = 60_000;
  /** Two events, then one in each of the minutes. */
  async function repeated(form = seriesEvents('me', 'here')) {
    const { recorder, events, written } = recorderOf(form);
    const warnAfter = async (...pauses: number[]) => {
      for (const pause of pauses) {
        clock.advance(pause * minutes);
        recorder.warn(about, occurrence);
        await written();
      }
    };
    const counts = async (later = 0) => {
      clock.advance(later * minutes);
      return (await written()).map(({ series }) => series?.count);
    };
    recorder.warn(about, occurrence);
    await warnAfter(1);
    return { recorder, events, warnAfter, counts };
  }

  it('is written every half an hour, as long as it lasts', async () => {
    const { warnAfter, counts } = await repeated();
    await warnAfter(5, 5, 5, 5, 5);
    expect(await counts()).toEqual([2]);
    await warnAfter(3);
    expect(await counts(1)).toEqual([8]);
  });

  it('is written when it has ended; then another event begins', async () => {
    const { warnAfter, counts } = await repeated();
    await warnAfter(1, 1);
    expect(await counts(6)).toEqual([2]);
    expect(await counts(6)).toEqual([4]);
    await warnAfter(0);
    expect(await counts()).toEqual([4, undefined]);
  });

  it('does not begin when the first event is long ago', async () => {
    const { recorder, written } = recorderOf(seriesEvents('me', 'here'));
    recorder.warn(about, occurrence);
    await written();
    clock.advance(6 * minutes);
    await written();
    clock.advance(6 * minutes);
    await written();
    recorder.warn(about, occurrence);
    expect((await written()).map(({ series }) => series)).toEqual([undefined, undefined]);
  });

  it('begins again when its event is gone at a refresh', async () => {
    const { events, warnAfter, counts } = await repeated();
    const [first] = (await events.list('')).items;
    await events.delete('ns', first?.object.metadata.name ?? '');
    await warnAfter(5, 5, 5, 5, 5);
    expect(await counts(4)).toEqual([]);
    await warnAfter(0);
    expect(await counts()).toEqual([undefined]);
  });

  it('is not written once the recorder is disposed', async () => {
    const { recorder, warnAfter, counts } = await repeated();
    await warnAfter(1);
    recorder[Symbol.dispose]();
    expect(await counts(60)).toEqual([2]);
  });
});

it('writes 25 core events about an object at once, then one in five minutes, with all that it has counted', async () => {
  const { recorder, written } = recorderOf(coreEvents('me'));
  for (let i = 0; i < 30; i++) recorder.warn(about, occurrence);
  recorder.warn({ ...about, metadata: { ...about.metadata, uid: 'other' } }, occurrence);
  expect((await written()).map(({ count }) => count)).toEqual([25, 1]);
  clock.advance(300_000);
  recorder.warn(about, occurrence);
  recorder.warn(about, occurrence);
  recorder.warn(about, { ...occurrence, note: 'otherwise' });
  expect((await written()).map(({ count }) => count)).toEqual([31, 1]);
});

it("starts a new event if the old one is gone, and uses a random name if the object's name is invalid for an event", async () => {
  const { recorder, events, written } = recorderOf(coreEvents('me'));
  const address = { apiVersion: 'networking.k8s.io/v1', kind: 'IPAddress', metadata: { name: 'fd00::1' } };
  recorder.warn(address, occurrence);
  expect(await written()).toMatchObject([{ metadata: { name: 'by-chance', namespace: 'default' }, count: 1 }]);
  await events.delete('default', 'by-chance');
  recorder.warn(address, occurrence);
  expect(await written()).toMatchObject([{ metadata: { name: 'by-chance', namespace: 'default' }, count: 1 }]);
  expect(logged).toEqual([]);
});

it('writes two events in the same millisecond, and starts a new one after a foreign change', async () => {
  const { recorder, events, written } = recorderOf(coreEvents('me'));
  recorder.warn(about, occurrence);
  recorder.warn(about, { ...occurrence, note: 'otherwise' });
  const names = (await written()).map(({ metadata }) => metadata.name);
  expect(names).toEqual([0n, 1n].map((more) => `a.${(BigInt(NOW) * 1_000_000n + more).toString(16)}`));
  const conflict: typeof events.update = async (_namespace, { metadata }) => {
    throw newConflict({ group: '', resource: 'events' }, metadata.name ?? '', 'changed');
  };
  const conflicting = createEventRecorder({
    form: coreEvents('me'),
    client: { resource: () => ({ create: events.create.bind(events), update: conflict }) as never },
    clock,
    newUid: () => 'by-chance',
    logger: loggerOf(logged),
  });
  clock.advance(1);
  conflicting.warn(about, occurrence);
  conflicting.warn(about, occurrence);
  expect((await written()).map(({ count }) => count)).toEqual([1, 1, 1, 1]);
  expect(logged).toEqual([]);
});

it('logs a failed repetition, and writes no new event for it', async () => {
  const { events, written } = recorderOf(coreEvents('me'));
  const failing = createEventRecorder({
    form: coreEvents('me'),
    client: {
      resource: () =>
        ({
          create: events.create.bind(events),
          update: () => Promise.reject(newServiceUnavailable('not now')),
        }) as never,
    },
    clock,
    newUid: () => 'by-chance',
    logger: loggerOf(logged),
  });
  failing.warn(about, occurrence);
  failing.warn(about, occurrence);
  expect((await written()).map(({ count }) => count)).toEqual([1]);
  expect(logged).toEqual([expect.stringContaining('not now')]);
});

it('drops events while a thousand are waiting', async () => {
  const { recorder, written } = recorderOf(coreEvents('me'));
  const another = (uid: string) => ({ ...about, metadata: { ...about.metadata, uid } });
  for (let i = 0; i < 1001; i++) recorder.warn(another(String(i)), occurrence);
  await expect.poll(async () => (await written()).length).toBe(1000);
  expect(logged).toEqual(['Too many events wait to be written']);
  recorder.warn(another('later'), occurrence);
  expect((await written()).length).toBe(1001);
});

it('logs failed writes and continues', async () => {
  const { recorder, events, written } = recorderOf(coreEvents('me'));
  await events.create('ns', { metadata: { name: `a.${(BigInt(NOW) * 1_000_000n).toString(16)}` } } as never);
  recorder.warn(about, occurrence);
  expect((await written()).length).toBe(1);
  clock.advance(1);
  recorder.warn(about, occurrence);
  expect((await written()).length).toBe(2);
  expect(logged.length).toBe(1);
});
