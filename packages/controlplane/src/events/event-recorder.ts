import type { GroupVersionResource } from '@apiserver/apimachinery';
import { isNotFound, type KubeObject, nameIsDNSSubdomain } from '@apiserver/apimachinery';
import type { Logger, LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';
import type { Clock } from '@apiserver/registry-store';

/** How many different events are remembered, so that what comes again is counted. */
const MAX_KNOWN = 4096;
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
  /** Never throws, and waits for nothing. The same of the same object again is counted. */
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
  const { form, client, logger } = options;
  const events = client.resource<E>(form.resource);
  const known = new Map<string, E>();
  let turn: Promise<void> = Promise.resolve();
  return {
    warn(about, occurrence) {
      turn = turn
        .then(() => record({ events, known, options }, about, occurrence))
        .catch((error: unknown) => logger.error(error, 'Unable to write event', { ...occurrence }));
    },
  };
}

interface Recording<E extends KubeObject> {
  readonly events: ResourceClient<E>;
  readonly known: Map<string, E>;
  readonly options: EventRecorderOptions<E>;
}

async function record<E extends KubeObject>(
  { events, known, options }: Recording<E>,
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
  const metadata = metadataOf(about, options);
  const event =
    stored ?? (await events.create(metadata.namespace, form.make(metadata, about, occurrence, clock.now())));
  known.delete(key);
  known.set(key, event);
  for (const oldest of known.keys()) {
    if (known.size <= MAX_KNOWN) break;
    known.delete(oldest);
  }
}

/** Undefined when it is gone, which events are after an hour. */
async function recordAgain<E extends KubeObject>(
  events: ResourceClient<E>,
  { event, write }: { readonly event: E; readonly write: boolean },
): Promise<E | undefined> {
  if (!write) return event;
  try {
    return await events.update(event.metadata.namespace ?? '', event);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Named for the object and the time, or by chance where that is no name. Upstream: GenerateEventName of client-go/tools/internal/events */
function metadataOf(
  { metadata: { name = '', namespace } }: KubeObject,
  { clock, newUid }: Pick<EventRecorderOptions<KubeObject>, 'clock' | 'newUid'>,
): { readonly name: string; readonly namespace: string } {
  const timed = `${name}.${(BigInt(clock.now()) * NANOSECONDS).toString(16)}`;
  const valid = nameIsDNSSubdomain(timed, false).length === 0;
  return { name: valid ? timed : newUid(), namespace: namespace || 'default' };
}
