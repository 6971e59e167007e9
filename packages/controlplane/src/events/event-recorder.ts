import type { GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import { type Clock, TokenBucket } from '@apiserver/apimachinery/clock';
import { isConflict, isNotFound } from '@apiserver/apimachinery/errors';
import { nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';
import type { LogFields, Logger, LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';

/** Maximum number of recorded events whose repetitions are counted. */
const MAX_KNOWN = 4096;
/** Maximum number of queued events; others are dropped. Upstream: maxQueuedEvents of client-go/tools/record */
const MAX_WAITING = 1000;
const NANOSECONDS = 1_000_000n;

/** The contents of an Event. */
interface Occurrence {
  /** One CamelCase word. */
  readonly reason: string;
  /** The attempted action; only events.k8s.io shows it. */
  readonly action: string;
  readonly note: string;
}

/** Records Events about objects. Upstream: EventRecorder of k8s.io/client-go/tools/record and tools/events */
export interface EventRecorder {
  /** Never throws or waits. Repetitions for the same object are counted. Drops the event if too many are queued. */
  warn(about: KubeObject, occurrence: Occurrence): void;
}

/** The form of an Event in one of the two APIs. */
export interface EventForm<E extends KubeObject> {
  readonly resource: GroupVersionResource;
  /** Occurrences with the same key are repetitions. */
  key(about: KubeObject, occurrence: Occurrence): string;
  /** `now` in milliseconds since the epoch. */
  make(metadata: KubeObject['metadata'], about: KubeObject, occurrence: Occurrence, now: number): E;
  /** Counts a repetition. If `write` is false, the count is only kept in memory. */
  again(event: E, now: number): { readonly event: E; readonly write: boolean };
  /** Bounds the writes for one key; those beyond it are only counted. */
  readonly limit: { keyOf(about: KubeObject): string; readonly burst: number; readonly perSecond: number } | undefined;
  readonly upkeep: readonly Upkeep<E>[];
}

/** A decision about each counted event, made at an interval in milliseconds. */
interface Upkeep<E extends KubeObject> {
  readonly every: number;
  /** `finish`: write, then forget. */
  decide(event: E, now: number): 'keep' | 'write' | 'finish' | 'forget';
}

/** Dependencies of a recorder. */
export interface EventRecorderOptions<E extends KubeObject> {
  readonly form: EventForm<E>;
  readonly client: LoopbackClient;
  readonly clock: Clock;
  readonly newUid: () => string;
  readonly logger: Logger;
}

/** A recorder that writes Events sequentially. Once it is disposed, counts are no longer written at intervals. */
export function createEventRecorder<E extends KubeObject>(
  options: EventRecorderOptions<E>,
): EventRecorder & Disposable {
  return new SequentialRecorder(options);
}

class SequentialRecorder<E extends KubeObject> implements EventRecorder, Disposable {
  readonly #options: EventRecorderOptions<E>;
  readonly #recording: Recording<E>;
  readonly #cancels = new Map<Upkeep<E>, () => void>();
  #waiting = 0;
  #turn: Promise<void> = Promise.resolve();
  #isDisposed = false;

  constructor(options: EventRecorderOptions<E>) {
    const { form, client, clock } = options;
    this.#options = options;
    this.#recording = {
      events: client.resource<E>(form.resource),
      known: new Map(),
      buckets: new Map(),
      options,
      nanoseconds: risingNanoseconds(clock),
    };
  }

  warn(about: KubeObject, occurrence: Occurrence): void {
    const { form, logger } = this.#options;
    if (this.#waiting === MAX_WAITING) {
      logger.warning('Too many events wait to be written', { ...occurrence });
      return;
    }
    for (const upkeep of form.upkeep) if (!this.#cancels.has(upkeep)) this.#schedule(upkeep);
    this.#waiting++;
    void this.#queue(() => record(this.#recording, about, occurrence), { ...occurrence }).finally(
      () => this.#waiting--,
    );
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const cancel of this.#cancels.values()) cancel();
  }

  /** Never rejects. */
  #queue(work: () => Promise<void>, fields: LogFields): Promise<void> {
    const { logger } = this.#options;
    this.#turn = this.#turn.then(work).catch((error: unknown) => logger.error(error, 'Unable to write event', fields));
    return this.#turn;
  }

  #schedule(upkeep: Upkeep<E>): void {
    if (this.#isDisposed) return;
    const run = () => {
      void this.#queue(() => maintain(this.#recording, upkeep), {});
      this.#schedule(upkeep);
    };
    this.#cancels.set(upkeep, this.#options.clock.schedule(run, upkeep.every));
  }
}

/** The clock's time, which has milliseconds, extended so that no two events share a timestamp. */
function risingNanoseconds(clock: Clock): () => bigint {
  let last = 0n;
  return () => {
    const now = BigInt(clock.now()) * NANOSECONDS;
    last = now > last ? now : last + 1n;
    return last;
  };
}

interface Recording<E extends KubeObject> {
  readonly events: ResourceClient<E>;
  /** In order of the last occurrence. */
  readonly known: Map<string, E>;
  /** In order of the last use. */
  readonly buckets: Map<string, TokenBucket>;
  readonly options: EventRecorderOptions<E>;
  /** Since the epoch; increases with every call. */
  readonly nanoseconds: () => bigint;
}

async function record<E extends KubeObject>(
  recording: Recording<E>,
  about: KubeObject,
  occurrence: Occurrence,
): Promise<void> {
  const { events, known, options, nanoseconds } = recording;
  const { form, clock } = options;
  const key = form.key(about, occurrence);
  const mayWrite = takeToken(recording, about);
  const before = known.get(key);
  if (before === undefined && !mayWrite) return;
  const repeated = before && form.again(before, clock.now());
  const stored = repeated && (await recordAgain(events, { ...repeated, write: repeated.write && mayWrite }));
  const metadata = metadataOf(about, nanoseconds(), options.newUid);
  const event =
    stored ?? (await events.create(metadata.namespace, form.make(metadata, about, occurrence, clock.now())));
  keepNewest(known, key, event);
}

function takeToken<E extends KubeObject>({ buckets, options }: Recording<E>, about: KubeObject): boolean {
  const { limit } = options.form;
  if (limit === undefined) return true;
  const key = limit.keyOf(about);
  const bucket = buckets.get(key) ?? new TokenBucket(limit.perSecond, limit.burst, options.clock);
  keepNewest(buckets, key, bucket);
  return bucket.take();
}

function keepNewest<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= MAX_KNOWN) break;
    map.delete(oldest);
  }
}

async function maintain<E extends KubeObject>(
  { events, known, options }: Recording<E>,
  { decide }: Upkeep<E>,
): Promise<void> {
  for (const [key, event] of known) {
    const decision = decide(event, options.clock.now());
    if (decision === 'keep') continue;
    if (decision !== 'write') known.delete(key);
    if (decision === 'forget') continue;
    const stored = await recordAgain(events, { event, write: true });
    if (decision === 'finish') continue;
    if (stored === undefined) known.delete(key);
    else known.set(key, stored);
  }
}

/** Undefined if the event no longer exists (events expire after an hour), or if another client changed it. */
async function recordAgain<E extends KubeObject>(
  events: ResourceClient<E>,
  { event, write }: { readonly event: E; readonly write: boolean },
): Promise<E | undefined> {
  if (!write) return event;
  try {
    return await events.update(event.metadata.namespace ?? '', event);
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return undefined;
    throw error;
  }
}

/**
 * The name consists of the object's name and the time, or is random if that is invalid.
 * Upstream: GenerateEventName of client-go/tools/internal/events
 */
function metadataOf(
  { metadata: { name = '', namespace } }: KubeObject,
  nanoseconds: bigint,
  newUid: () => string,
): { readonly name: string; readonly namespace: string } {
  const timed = `${name}.${nanoseconds.toString(16)}`;
  const valid = nameIsDNSSubdomain(timed).length === 0;
  return { name: valid ? timed : newUid(), namespace: namespace || 'default' };
}
