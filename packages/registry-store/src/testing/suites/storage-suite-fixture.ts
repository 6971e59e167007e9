import type { Clock } from '@apiserver/apimachinery/clock';
import { isStatusError } from '@apiserver/apimachinery/errors';
import { everythingSelector, parseFieldSelector, parseLabelSelector } from '@apiserver/apimachinery/selectors';
import type { ManualClock } from '@apiserver/apimachinery/testing';
import type {
  Storage,
  StorageErrorCode,
  StorageListOptions,
  StorageWatchOptions,
  StoredList,
} from '@apiserver/apiserver-contracts';
import { expect } from 'vitest';
import { interpretError } from '../../interpret-error.js';
import type { KeyValueStore } from '../../key-value-store.js';
import type { Transformer } from '../../objects/transformer.js';
import { WatchRecorder } from '../watch-recorder.js';
import { type Widget, widget } from '../widget.js';

/** A storage of Widgets (see storedWidgetDefinition) at /registry/example.com/widgets/, and the store below it. */
export interface StorageFixture extends AsyncDisposable {
  readonly storage: Storage<Widget>;
  readonly store: KeyValueStore;
}

/** Differences between storages. */
export interface StorageTraits {
  /** The clock of times to live: the injected one, or a server's own. Default: "given". */
  readonly clock?: 'given' | 'server';
}

/** Requirements of a test. */
interface StorageNeeds {
  /** Default: bytes are stored unchanged. */
  readonly transformerFor?: () => Transformer;
  /** Default: Namespaced. */
  readonly scope?: 'Cluster';
}

/** Makes the storage of one test on the clock of the test. */
export type OpenStorage = (options: StorageNeeds & { readonly clock: Clock }) => Promise<StorageFixture>;

export interface Context extends Omit<StorageFixture, typeof Symbol.asyncDispose> {
  readonly clock: ManualClock;
  /** A short time to live, in seconds, and a wait until it is certainly over. */
  readonly ttl: number;
  untilExpired(): Promise<void>;
}

export type WithStorage = (
  test: (context: Context) => Promise<void>,
  needs?: Transformer | StorageNeeds,
) => () => Promise<void>;

export const RESOURCE = { group: 'example.com', resource: 'widgets' };
export const wireForm = { contentType: 'application/json', group: 'example.com', version: 'v1', kind: 'Widget' };

export function make(key: string, rest: Partial<Widget> & { labels?: Record<string, string> } = {}): Widget {
  const [namespace = '', name = ''] = key.split('/');
  const { labels, ...body } = rest;
  return widget({ name, namespace, uid: `uid-${name}`, ...(labels === undefined ? {} : { labels }) }, body);
}

export async function create(
  storage: Storage<Widget>,
  key: string,
  rest: Parameters<typeof make>[1] = {},
): Promise<number> {
  return Number((await storage.create(key, make(key, rest))).resourceVersion);
}

export async function setColor(storage: Storage<Widget>, key: string, color: string): Promise<number> {
  const { stored } = await storage.guaranteedUpdate(key, {}, async (current) => ({
    object: { ...make(key), ...current?.object, spec: { ...current?.object.spec, color } },
  }));
  return Number(stored.resourceVersion);
}

export async function label(storage: Storage<Widget>, key: string, labels: Record<string, string>): Promise<number> {
  const { stored } = await storage.guaranteedUpdate(key, {}, async (current) => {
    const object = current?.object ?? make(key);
    return { object: { ...object, metadata: { ...object.metadata, labels } } };
  });
  return Number(stored.resourceVersion);
}

export const remove = (storage: Storage<Widget>, key: string) => storage.delete(key, {}, async () => {});

export function listOptions(
  options: Partial<StorageListOptions> & { label?: string; field?: string } = {},
): StorageListOptions {
  const { label: labels = '', field = '', ...rest } = options;
  return {
    labelSelector: labels === '' ? everythingSelector : parseLabelSelector(labels),
    fieldSelector: parseFieldSelector(field),
    ...rest,
  };
}

export type WatchChanges = Partial<StorageWatchOptions> & { label?: string; field?: string };

export async function watch(
  storage: Storage<Widget>,
  prefix: string,
  options: WatchChanges = {},
): Promise<WatchRecorder<Widget>> {
  const { allowBookmarks = false, ...rest } = options;
  return new WatchRecorder(await storage.watch(prefix, { ...listOptions(rest), allowBookmarks }));
}

export const names = (list: StoredList<Widget>) =>
  list.items.map((item) => `${item.object.metadata.name}@${item.resourceVersion}`);

export const hasCode = (storageErrorCode: StorageErrorCode) => expect.objectContaining({ storageErrorCode });

/** The error that a client receives. */
export async function reportedError(call: Promise<unknown>): Promise<unknown> {
  const error = interpretError(
    await call.then(
      () => undefined,
      (e: unknown) => e,
    ),
    RESOURCE,
    'a',
  );
  return isStatusError(error) ? error.status : error;
}

/** Lets a call that waits for a version time out. */
export async function waiting(clock: ManualClock, call: Promise<unknown>): Promise<void> {
  let done = false;
  void call.finally(() => {
    done = true;
  });
  while (!done) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    clock.advance(500);
  }
}

/** Lets started watches reach the present. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** True for storage with a watch cache, some of whose messages differ. */
export function isCached(storage: Storage<Widget>): boolean {
  return 'storedBytes' in storage;
}
