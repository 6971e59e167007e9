import type { GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import { isConflict, isNotFound } from '@apiserver/apimachinery/errors';
import { nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';
import type { Logger, LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';

/** How many different events are remembered, so that what comes again is counted. */
const MAX_KNOWN = 4096;
/** Events that may wait to be written; of more than that nobody is told. Upstream: maxQueuedEvents of client-go/tools/record */
const MAX_WAITING = 1000;
const NANOSECONDS = 1_000_000n;

/** What is to be told of an object. */
export interface Occurrence {
  /** One word. */
  readonly reason: string;
  /** What was being done; shown by events.k8s.io only. */
  readonly action: string;
  readonly note: string;
}

/** Tells of objects by Events. Upstream: EventRecorder of k8s.io/client-go/tools/record and tools/events */
export interface EventRecorder {
  /** Never throws, and waits for nothing. The same of the same object again is counted. Dropped while too many wait. */
  warn(about: KubeObject, occurrence: Occurrence): void;
}

/** What Events look like in one of their two APIs. */
export interface EventForm<E extends KubeObject> {
  readonly resource: GroupVersionResource;
  /** `now` in milliseconds since the epoch. */
  make(metadata: KubeObject['metadata'], about: KubeObject, occurrence: Occurrence, now: number): E;
  /** One more of the same; `write` false: it is enough to remember it. */
  again(event: E, now: number): { readonly event: E; readonly write: boolean };
}

export interface EventRecorderOptions<E extends KubeObject> {
  readonly form: EventForm<E>;
  readonly client: LoopbackClient;
  readonly clock: Clock;
  readonly newUid: () => string;
  readonly logger: Logger;
}

/** A recorder that writes Events one after the other. */
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

/** The time, which the clock knows to a millisecond, so that no two events have one. */
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
  /** Since the epoch; rises with every call. */
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

/** Undefined when it is gone, which events are after an hour, or somebody has changed it. */
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

/** Named for the object and the time, or by chance where that is no name. Upstream: GenerateEventName of client-go/tools/internal/events */
function metadataOf(
  { metadata: { name = '', namespace } }: KubeObject,
  nanoseconds: bigint,
  newUid: () => string,
): { readonly name: string; readonly namespace: string } {
  const timed = `${name}.${nanoseconds.toString(16)}`;
  const valid = nameIsDNSSubdomain(timed, false).length === 0;
  return { name: valid ? timed : newUid(), namespace: namespace || 'default' };
}
