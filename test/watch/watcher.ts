import { setTimeout as sleep } from 'node:timers/promises';
import type { AdminClient } from '../harness/admin-client.ts';
import { type Frame, parts, revisionOf, type Segment, type Selector } from './history.ts';
import type { Random } from './random.ts';
import { type ReceivedObject, type Resource, seenOf } from './resources.ts';
import type { ClientSource } from './restarting-server.ts';
import type { Acknowledged } from './writer.ts';

export interface WatcherOptions {
  readonly server: ClientSource;
  readonly resource: Resource;
  readonly selector: Selector;
  readonly random: Random;
  readonly acknowledged: Acknowledged;
  /** Of an empty resource. */
  readonly begin: number;
  /** Goes on from the newest revision only, so that together its watches see everything. */
  readonly steady?: boolean;
}

interface OpenSegment {
  readonly selector: Selector;
  readonly start: number | 'initial';
  readonly acknowledgedBefore: number;
  readonly frames: Frame[];
  refusal?: { code: number; startAgeMs: number };
}

/** Watches over and over: from revisions it has seen, or from the whole state, broken off at random. */
export class Watcher {
  readonly segments: Segment[] = [];
  readonly #options: WatcherOptions;
  readonly #seen: number[];
  #newest: number;
  #last = Number.POSITIVE_INFINITY;
  #client: AdminClient | undefined = undefined;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#newest = options.begin;
    this.#seen = [options.begin];
  }

  /** Runs until it has seen the last revision. */
  async run(): Promise<void> {
    while (!this.#isDone) {
      using client = await this.#options.server.client();
      this.#client = client;
      if (!this.#isDone) await this.#watch(client);
    }
  }

  /** Says which revision is the last one. Its event may have come before, and then no other follows. */
  endAt(revision: number): void {
    this.#last = revision;
    if (this.#isDone) this.#client?.session.destroy();
  }

  get #isDone(): boolean {
    return this.#newest >= this.#last;
  }

  async #watch(client: AdminClient): Promise<void> {
    const start = this.#start();
    const { selector, acknowledged, random } = this.#options;
    const segment: OpenSegment = { selector, start, acknowledgedBefore: acknowledged.newest, frames: [] };
    // The steady one ends with its server only.
    const limit = this.#options.steady ? Number.POSITIVE_INFINITY : 1 + random.below(120);
    try {
      for await (const received of watch(client, this.#path(start))) {
        if ('code' in received) {
          const bornAfter = start === 'initial' ? 0 : acknowledged.notBefore(start);
          segment.refusal = { code: received.code, startAgeMs: Date.now() - bornAfter };
          break;
        }
        segment.frames.push(received);
        this.#note(segment, received);
        if (segment.frames.length >= limit || this.#isDone) break;
        if (random.chance(0.02)) await sleep(random.below(100));
      }
    } catch {
      await sleep(10);
    }
    if (segment.refusal?.code === 410) this.#seen.splice(0, this.#seen.length, ...this.#seen.slice(-1));
    // A server on its way out or in may say so.
    if (segment.refusal === undefined || ![429, 503].includes(segment.refusal.code)) this.segments.push(segment);
    if (segment.refusal !== undefined) await sleep(50);
  }

  #start(): number | 'initial' {
    const { random, steady } = this.#options;
    const refused = this.segments.at(-1)?.refusal !== undefined;
    const newest = this.#seen.at(-1) ?? this.#options.begin;
    if (refused || (!steady && random.chance(0.3))) return 'initial';
    if (steady || random.chance(0.4)) return newest;
    return this.#seen[random.below(this.#seen.length)] ?? newest;
  }

  #path(start: number | 'initial'): string {
    const { selector, resource, random, steady } = this.#options;
    const query = new URLSearchParams({ watch: '1', allowWatchBookmarks: 'true' });
    if (start === 'initial') {
      query.set('sendInitialEvents', 'true');
      query.set('resourceVersionMatch', 'NotOlderThan');
    } else query.set('resourceVersion', String(start));
    // Bookmarks come two seconds before a watch's time is over.
    if (!steady) query.set('timeoutSeconds', String(2 + random.below(4)));
    if (selector.colours !== undefined) query.set('labelSelector', `colour in (${selector.colours.join()})`);
    if (selector.name !== undefined) query.set('fieldSelector', `metadata.name=${selector.name}`);
    return `${resource.path}?${query}`;
  }

  #note(segment: Segment, frame: Frame): void {
    // Its initial state may be newer or older than the last event: only its bookmark can be resumed from.
    if (parts(segment).from === undefined) return;
    const revision = revisionOf(frame);
    if (revision <= this.#newest) return;
    this.#newest = revision;
    this.#seen.push(revision);
  }
}

/** The frames of a watch as they arrive, or its refusal. */
async function* watch(client: AdminClient, path: string): AsyncGenerator<Frame | { readonly code: number }> {
  const stream = client.session.request({ ':method': 'GET', ':path': path });
  let status = 0;
  stream.once('response', (headers) => {
    status = Number(headers[':status']);
  });
  stream.setEncoding('utf8');
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (status === 200) for (const line of lines) yield frameOf(JSON.parse(line));
  }
  if (status > 200) yield { code: status };
}

function frameOf({ type, object }: { type: 'ERROR' | Frame['type']; object: ReceivedObject & { code: number } }) {
  if (type === 'ERROR') return { code: object.code };
  if (type !== 'BOOKMARK') return { type, object: seenOf(object) };
  const { resourceVersion, annotations } = object.metadata;
  return {
    type,
    revision: Number(resourceVersion),
    endsInitial: annotations?.['k8s.io/initial-events-end'] === 'true',
  };
}
