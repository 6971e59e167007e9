import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../event/audit-record.js';
import { testRecord } from '../testing/test-record.js';
import type { AuditBackend } from './audit-backend.js';
import { AuditMetrics } from './audit-metrics.js';
import { BufferedBackend, type BufferedOptions } from './buffered-backend.js';
import { truncatingBackend } from './truncating-backend.js';
import { WebhookBackend } from './webhook-backend.js';

/** A clock whose timers fire by hand. */
function manualClock() {
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  let time = 0;
  return {
    now: () => time,
    schedule: (run: () => void, milliseconds: number) => {
      const timer = { at: time + milliseconds, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance: async (milliseconds: number) => {
      time += milliseconds;
      for (const timer of [...timers].filter(({ at }) => at <= time)) {
        timers.delete(timer);
        timer.run();
      }
      await settle();
    },
  };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
const ids = (records: readonly AuditRecord[]) => records.map(({ line }) => /id="(\w*)"/.exec(line)?.[1]);

/** A backend that keeps its batches, and delivers them when it is told to. */
function heldBackend() {
  const batches: (readonly (string | undefined)[])[] = [];
  const deliveries: (() => void)[] = [];
  const backend: AuditBackend = {
    name: 'held',
    isStrict: true,
    process: (records) => {
      batches.push(ids(records));
      return new Promise((resolve) => deliveries.push(() => resolve(true)));
    },
    [Symbol.asyncDispose]: async () => {},
  };
  return { backend, batches, deliveries };
}

function metricsOf() {
  const registry = new MetricsRegistry();
  const { logger, lines } = createTestLogger();
  const lost = async (plugin: string) =>
    Number(new RegExp(`error_total\\{plugin="${plugin}"\\} (\\d+)`).exec((await registry.expose()).text)?.[1] ?? '0');
  return { metrics: new AuditMetrics(registry, logger), lines, lost };
}

function buffered(config: Partial<BufferedOptions['config']> = {}, isAsync = true) {
  const held = heldBackend();
  const clock = manualClock();
  const counted = metricsOf();
  const backend = new BufferedBackend({
    backend: held.backend,
    isAsync,
    clock,
    metrics: counted.metrics,
    config: {
      bufferSize: 5,
      maxBatchSize: 2,
      maxBatchWait: 1_000,
      throttleEnable: false,
      throttleQPS: 1,
      throttleBurst: 1,
      ...config,
    },
  });
  return { ...held, ...counted, clock, buffer: backend };
}

const record = (auditID: string, bytes = 0) =>
  testRecord({ auditID }, bytes === 0 ? {} : { requestObject: [Buffer.alloc(bytes, 0x20)] });

describe('BufferedBackend', () => {
  it('sends full batches at once, and others after their time', async () => {
    const { buffer, batches, clock } = buffered();
    expect(buffer.process([record('1'), record('2'), record('3')])).toBe(true);
    await settle();
    expect(batches).toEqual([['1', '2']]);
    await clock.advance(999);
    expect(batches).toHaveLength(1);
    await clock.advance(1);
    expect(batches).toEqual([['1', '2'], ['3']]);
  });

  it('limits batches in time', async () => {
    const { buffer, batches, clock } = buffered({ throttleEnable: true });
    buffer.process(['1', '2', '3', '4'].map((id) => record(id)));
    await settle();
    expect(batches).toEqual([['1', '2']]);
    await clock.advance(1_000);
    expect(batches).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
  });

  it('counts the time of a batch from the last one, also if there was nothing to send', async () => {
    const { buffer, batches, clock } = buffered();
    await clock.advance(1_600);
    buffer.process([record('1')]);
    await clock.advance(399);
    expect(batches).toEqual([]);
    await clock.advance(1);
    expect(batches).toEqual([['1']]);
    await clock.advance(300);
    buffer.process([record('2'), record('3'), record('4')]);
    await clock.advance(999);
    expect(batches).toEqual([['1'], ['2', '3']]);
    await clock.advance(1);
    expect(batches.at(-1)).toEqual(['4']);
  });

  it('fills a batch that is larger than the buffer', async () => {
    const { buffer, batches, clock, lost } = buffered({ maxBatchSize: 10 });
    for (let i = 0; i < 7; i++) expect(buffer.process([record(String(i))])).toBe(true);
    await clock.advance(1_000);
    expect(batches).toEqual([['0', '1', '2', '3', '4', '5', '6']]);
    expect(await lost('buffered')).toBe(0);
  });

  it('loses and counts events beyond the buffer, while a batch waits for the throttle', async () => {
    const { buffer, batches, clock, lines, lost } = buffered({ throttleEnable: true });
    const numbers = (count: number) => Array.from({ length: count }, (_, i) => String(i));
    for (const id of numbers(12)) expect(buffer.process([record(id)])).toBe(true);
    expect(await lost('buffered')).toBe(12 - 2 - 2 - 5);
    expect(JSON.stringify(lines)).toContain('audit buffer queue blocked');
    for (let i = 0; i < 4; i++) await clock.advance(1_000);
    expect(batches.flat()).toEqual(numbers(9));
  });

  it('loses and counts events beyond the buffer, while a backend delivers in order', async () => {
    const { buffer, deliveries, lost } = buffered({ maxBatchSize: 1 }, false);
    buffer.process([record('1')]);
    await settle();
    for (let i = 0; i < 7; i++) buffer.process([record('x')]);
    expect(await lost('buffered')).toBe(2);
    for (const deliver of deliveries) deliver();
  });

  it('bounds the bytes of events on their way, when a webhook hangs', async () => {
    const { buffer, batches, deliveries, lost } = buffered({ bufferSize: 1_000, maxBatchSize: 1 });
    const MEGABYTE = 1024 * 1024;
    for (let i = 0; i < 80; i++) {
      buffer.process([record('x', MEGABYTE)]);
      await settle();
    }
    expect(batches).toHaveLength(63);
    expect(await lost('buffered')).toBe(17);
    for (const deliver of deliveries) deliver();
    await settle();
    buffer.process([record('y', MEGABYTE)]);
    await settle();
    expect(batches.at(-1)).toEqual(['y']);
  });

  it.each([
    ['throws', () => JSON.parse('')],
    ['rejects', async () => JSON.parse('')],
  ])('counts the events of a batch for which its backend %s, and sends the next one', async (_, failing) => {
    const { buffer, backend, batches, lost } = buffered({ maxBatchSize: 1 }, false);
    const { process } = backend;
    backend.process = failing;
    buffer.process([record('1'), record('2')]);
    await settle();
    expect(await lost('buffered')).toBe(2);
    backend.process = process;
    buffer.process([record('3')]);
    await settle();
    expect(batches).toEqual([['3']]);
  });

  it('delivers all at its end, and loses later events', async () => {
    const { buffer, batches, deliveries, lost } = buffered({ throttleEnable: true });
    buffer.process(['1', '2', '3'].map((id) => record(id)));
    const ended = buffer[Symbol.asyncDispose]();
    await expect.poll(() => batches).toEqual([['1', '2'], ['3']]);
    buffer.process([record('late')]);
    expect(await lost('buffered')).toBe(1);
    for (const deliver of deliveries) deliver();
    await ended;
  });
});

describe('truncatingBackend', () => {
  it('removes bodies of large events, drops what is still too large, and splits batches', async () => {
    const { backend, batches, deliveries } = heldBackend();
    const { metrics, lines, lost } = metricsOf();
    const kept: string[] = [];
    const keeping: AuditBackend = {
      ...backend,
      process: (records) => {
        kept.push(...records.map((one) => one.members().map(String).join('')));
        return backend.process(records);
      },
    };
    const truncating = truncatingBackend(keeping, { maxEventSize: 1_000, maxBatchSize: 1_000 }, metrics);
    const tooLarge = testRecord({ auditID: 'c', requestURI: `/${'x'.repeat(2_000)}` });
    const processed = truncating.process([record('a'), record('b', 5_000), tooLarge, record('d'), record('e')]);
    expect(batches).toEqual([['a', 'b', 'd'], ['e']]);
    expect(kept[1]).toContain('"annotations":{"audit.k8s.io/truncated":"true"}');
    expect(kept[1]).not.toContain('requestObject');
    expect(await lost('truncate')).toBe(1);
    expect(JSON.stringify(lines)).toContain('event is too large even after truncating');
    for (const deliver of deliveries) deliver();
    expect(await processed).toBe(true);
  });
});

describe('WebhookBackend', () => {
  function webhook(respond: (attempt: number, signal: AbortSignal | undefined) => Promise<void>) {
    const bodies: string[] = [];
    const clock = manualClock();
    const counted = metricsOf();
    const backend = new WebhookBackend({
      client: {
        send: async ({ body }, signal) => {
          bodies.push(String(body));
          await respond(bodies.length, signal);
          return { code: 200, value: undefined };
        },
        open: () => Promise.reject(new Error('not used')),
      },
      initialBackoff: 10_000,
      clock,
      random: () => 0,
      metrics: counted.metrics,
    });
    return { backend, bodies, clock, ...counted };
  }

  it('posts a list, and tries again after any failure', async () => {
    const { backend, bodies, clock } = webhook(async (attempt) => {
      if (attempt < 3) throw new Error('403');
    });
    const sent = backend.process([
      record('1'),
      testRecord({ auditID: '2' }, { requestObject: [Buffer.from('{"a":1}')] }),
    ]);
    await settle();
    await clock.advance(10_000);
    await clock.advance(15_000);
    expect(await sent).toBe(true);
    expect(bodies).toHaveLength(3);
    const list = JSON.parse(bodies[2] ?? '');
    expect(Object.keys(list)).toEqual(['kind', 'apiVersion', 'metadata', 'items']);
    expect(list).toMatchObject({
      kind: 'EventList',
      items: [{ auditID: '1' }, { auditID: '2', requestObject: { a: 1 } }],
    });
    expect(list.items[0].kind).toBeUndefined();
  });

  it('loses and counts events after the last attempt', async () => {
    const { backend, bodies, clock, lost } = webhook(() => Promise.reject(new Error('down')));
    const sent = backend.process([record('1')]);
    for (let i = 0; i < 5; i++) {
      await settle();
      await clock.advance(60_000);
    }
    expect(await sent).toBe(false);
    expect(bodies).toHaveLength(5);
    expect(await lost('webhook')).toBe(1);
  });

  it('ends an attempt after 30 seconds, and waits 10 at its end', async () => {
    const hang = (_: number, signal: AbortSignal | undefined) =>
      new Promise<void>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const { backend, bodies, clock, lost } = webhook(hang);
    const sent = backend.process([record('1')]);
    await clock.advance(30_000);
    await clock.advance(10_000);
    expect(bodies).toHaveLength(2);
    const ended = backend[Symbol.asyncDispose]();
    await settle();
    await clock.advance(10_000);
    await ended;
    expect(await sent).toBe(false);
    expect(await lost('webhook')).toBe(1);
  });
});
