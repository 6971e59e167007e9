import type { ManualClock } from '@apiserver/apimachinery/testing';
import { expect, type TestContext } from 'vitest';
import type { KeyValueErrorCode } from '../../key-value-error.js';
import { type CommitResult, type KeyValueStore, type KeyValueWatch, prefixEnd } from '../../key-value-store.js';

/** A value. */
export const bytes = (text: string): Uint8Array => Buffer.from(text);
/** The text of a value, as passed to `bytes`. */
export const text = (value: Uint8Array | undefined): string | undefined => value && Buffer.from(value).toString();
/** The range of a prefix. */
export const folder = (prefix: string) => ({ start: prefix, end: prefixEnd(prefix) });

/** Writes, and fails the test if the comparison fails. */
export async function put(store: KeyValueStore, key: string, value: string, expectedRevision = 0): Promise<number> {
  const result = await store.commit({ type: 'put', key, value: bytes(value), expectedRevision });
  if (!result.committed) throw new Error(`not committed: ${key}`);
  return result.revision;
}

/** Deletes, and fails the test if the comparison fails. */
export async function remove(store: KeyValueStore, key: string, expectedRevision: number): Promise<number> {
  const result = await store.commit({ type: 'delete', key, expectedRevision });
  if (!result.committed) throw new Error(`not committed: ${key}`);
  return result.revision;
}

/** Everything below "/" as `value@revision`, by key. */
export async function contents(store: KeyValueStore, revision?: number): Promise<Record<string, string>> {
  const result = await store.range({ ...folder('/'), ...(revision === undefined ? {} : { revision }) });
  return Object.fromEntries(result.kvs.map((kv) => [kv.key, `${text(kv.value)}@${kv.modRevision}`]));
}

/** The result of a write, its value as text. */
export function plain(result: CommitResult): unknown {
  if (result.committed) return result;
  const { current } = result;
  return { ...result, current: current && { ...current, value: text(current.value) } };
}

/** Matches a KeyValueError. */
export const hasCode = (keyValueErrorCode: KeyValueErrorCode, revision?: number) =>
  expect.objectContaining({ keyValueErrorCode, ...(revision === undefined ? {} : { revision }) });

/** Reports whether others may have written what no watch knows yet. */
export const isShared = (store: KeyValueStore): boolean => (store.freshness ?? 'immediate') !== 'immediate';

/** The reason why a test is skipped. */
export const NO_PROGRESS = 'this server does not tell the progress of watches';

/** A test with an empty store. */
type StoreTest = (store: KeyValueStore, clock: ManualClock, context: TestContext) => Promise<void>;

/** Opens the store for a test and disposes it. */
export type WithStore = (test: StoreTest) => (context: TestContext) => Promise<void>;

/** Waits until a watch has delivered everything, and checks its reported revision, if it reports one. */
export async function caughtUp(store: KeyValueStore, watch: KeyValueWatch, revision: number): Promise<void> {
  await watch.catchUp();
  if (store.freshness !== 'unknown') expect(watch.revision).toBe(revision);
}
