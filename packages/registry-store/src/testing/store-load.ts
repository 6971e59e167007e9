import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { isKeyValueError } from '../key-value-error.js';
import { type CommitResult, type KeyValueEvent, type KeyValueStore, prefixEnd } from '../key-value-store.js';

/** The range of the load. */
export const folder = { start: '/k/', end: prefixEnd('/k/') };
/** Writes one key if it is at that revision. */
export const put = (store: KeyValueStore, key: string, value: string, expectedRevision = 0): Promise<CommitResult> =>
  store.commit({ type: 'put', key, value: Buffer.from(value), expectedRevision });

/** Writes one key after the other until it is stopped; records acknowledged and unknown outcomes. */
export class Writer {
  readonly acknowledged = new Map<string, number>();
  readonly unknown = new Set<string>();
  readonly #done: Promise<void>;
  #stopped = false;

  constructor(store: KeyValueStore, name: string) {
    this.#done = this.#run(store, name);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  async #run(store: KeyValueStore, name: string): Promise<void> {
    for (let i = 0; !this.#stopped; i++) {
      const key = `/k/${name}/${i}`;
      try {
        const result = await put(store, key, 'v');
        if (!result.committed) throw new TypeError(`${key} was refused`);
        this.acknowledged.set(key, result.revision);
      } catch (error) {
        if (!isKeyValueError(error) || error.keyValueErrorCode !== 'Unavailable') throw error;
        this.unknown.add(key);
        await sleep(20);
      }
    }
  }
}

/** Events of a watch, as key and revision. */
export class Deliveries {
  readonly revisions = new Map<string, number>();
  readonly order: number[] = [];
  readonly ended: unknown[] = [];

  event(event: KeyValueEvent): void {
    if (this.revisions.has(event.key)) throw new TypeError(`${event.key} was delivered twice`);
    this.revisions.set(event.key, event.revision);
    this.order.push(event.revision);
  }

  end(error: unknown): void {
    this.ended.push(error);
  }
}

/** Checks that every acknowledged write exists, and that the watch delivered exactly those, in order. */
export async function check(store: KeyValueStore, writers: readonly Writer[], deliveries: Deliveries): Promise<void> {
  const stored = new Map((await store.range(folder)).kvs.map((kv) => [kv.key, kv.modRevision]));
  for (const writer of writers) {
    expect(writer.acknowledged.size).toBeGreaterThan(5);
    for (const [key, revision] of writer.acknowledged) expect([key, stored.get(key)]).toEqual([key, revision]);
  }
  while (deliveries.revisions.size < stored.size && deliveries.ended.length === 0) await sleep(10);
  expect(deliveries.revisions).toEqual(stored);
  expect(deliveries.order).toEqual(deliveries.order.toSorted((a, b) => a - b));
  expect(deliveries.ended).toEqual([]);
}

/** Runs writers and a watch during `fault`, and checks the results of both. */
export async function underLoad(store: KeyValueStore, fault: () => Promise<void>): Promise<readonly Writer[]> {
  const deliveries = new Deliveries();
  const watch = store.watch({ ...folder, fromRevision: 1 }, deliveries);
  const writers = ['a', 'b', 'c', 'd'].map((name) => new Writer(store, name));
  await sleep(200);
  await fault();
  await sleep(300);
  await Promise.all(writers.map((writer) => writer.stop()));
  await check(store, writers, deliveries);
  watch.close();
  return writers;
}
