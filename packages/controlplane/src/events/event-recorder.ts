import type { GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import { isConflict, isNotFound } from '@apiserver/apimachinery/errors';
import { nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';
import type { Logger, LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';

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
  /** `now` in milliseconds since the epoch. */
  make(metadata: KubeObject['metadata'], about: KubeObject, occurrence: Occurrence, now: number): E;
  /** Counts a repetition. If `write` is false, the count is only kept in memory. */
  again(event: E, now: number): { readonly event: E; readonly write: boolean };
}

export interface EventRecorderOptions<E extends KubeObject> {
  readonly form: EventForm<E>;
  readonly client: LoopbackClient;
  readonly clock: Clock;
  readonly newUid: () => string;
  readonly logger: Logger;
}

/** A recorder that writes Events sequentially. */
export function createEventRecorder<E extends KubeObject>(options: EventRecorderOptions<E>): EventRecorder {
  const { form, client, clock, logger } = options;
  const recording: Recording<E> = {
    events: client.resource<E>(form.resource),
    known: new Map(),
    options,
    nanoseconds: risingNanoseconds(clock),
  };
  let waiting = 0;
  let turn: Promise<void> = Promise.resolve();
  return {
    warn(about, occurrence) {
      if (waiting === MAX_WAITING) return logger.warning('Too many events wait to be written', { ...occurrence });
      waiting++;
      turn = turn
        .then(() => record(recording, about, occurrence))
        .catch((error: unknown) => logger.error(error, 'Unable to write event', { ...occurrence }))
        .finally(() => waiting--);
    },
  };
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
  readonly known: Map<string, E>;
  readonly options: EventRecorderOptions<E>;
  /** Since the epoch; increases with every call. */
  readonly nanoseconds: () => bigint;
}

async function record<E extends KubeObject>(
  { events, known, options, nanoseconds }: Recording<E>,
  about: KubeObject,
  occurrence: Occurrence,
): Promise<void> {
  const { form, clock } = options;
  const key = JSON.stringify([
    about.kind,
    about.metadata.uid,
    about.metadata.name,
    about.metadata.namespace,
    occurrence,
  ]);
  const before = known.get(key);
  const stored = before === undefined ? undefined : await recordAgain(events, form.again(before, clock.now()));
  const metadata = metadataOf(about, nanoseconds(), options.newUid);
  const event =
    stored ?? (await events.create(metadata.namespace, form.make(metadata, about, occurrence, clock.now())));
  known.delete(key);
  known.set(key, event);
  for (const oldest of known.keys()) {
    if (known.size <= MAX_KNOWN) break;
    known.delete(oldest);
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
  const valid = nameIsDNSSubdomain(timed, false).length === 0;
  return { name: valid ? timed : newUid(), namespace: namespace || 'default' };
}
