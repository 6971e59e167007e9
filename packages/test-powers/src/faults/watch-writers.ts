import { Buffer } from 'node:buffer';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { ResponseWriter } from '@apiserver/apiserver-contracts';
import { PassingWriter } from '../power/passing-writer.js';

const bookmark = Buffer.from('BOOKMARK');
/** The annotation of the bookmark behind the initial events, in every encoding. */
const initialEventsEnd = Buffer.from('k8s.io/initial-events-end');
/** The type of an event is among its first bytes. */
const HEAD_BYTES = 32;

type FrameKind = 'bookmark' | 'initial events end' | 'event';

function kindOf(frame: Uint8Array): FrameKind {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.length);
  if (!bytes.subarray(0, HEAD_BYTES).includes(bookmark)) return 'event';
  return bytes.includes(initialEventsEnd) ? 'initial events end' : 'bookmark';
}

/** Ends a watch behind a number of events. Later events are dropped. */
export class EndingWriter extends PassingWriter {
  #left: number;
  readonly #ended: () => void;
  #isEnded = false;

  /** `ended` is called once. */
  constructor(writer: ResponseWriter, events: number, ended: () => void) {
    super(writer);
    this.#left = events;
    this.#ended = ended;
  }

  override write(frame: Uint8Array): void {
    if (this.#isEnded) return;
    super.write(frame);
    this.#left--;
    if (this.#left <= 0) this.end();
  }

  override get closed(): boolean {
    return this.#isEnded || super.closed;
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#ended();
  }
}

/** Drops the bookmarks of a watch, except that behind the initial events. */
export class BookmarkDroppingWriter extends PassingWriter {
  override write(frame: Uint8Array): void {
    if (kindOf(frame) !== 'bookmark') super.write(frame);
  }
}

/**
 * Sends each bookmark late. An event overtakes the bookmarks that are held, which are dropped: their versions are no
 * news any more. Nothing overtakes the bookmark behind the initial events, because it must have a higher version than
 * every earlier event.
 */
export class LateBookmarkWriter extends PassingWriter {
  readonly #clock: Clock;
  readonly #delay: number;
  /** Ends the timers of the bookmarks that are held. */
  readonly #held = new Set<() => void>();
  /** The bookmark behind the initial events, while it is held, and the frames that wait for it. */
  #initial: { readonly later: Uint8Array[]; bytes: number; readonly sent: PromiseWithResolvers<void> } | undefined =
    undefined;

  constructor(writer: ResponseWriter, clock: Clock, delay: number) {
    super(writer);
    this.#clock = clock;
    this.#delay = delay;
  }

  override write(frame: Uint8Array): void {
    if (this.#initial !== undefined) {
      this.#initial.later.push(frame);
      this.#initial.bytes += frame.length;
      return;
    }
    const kind = kindOf(frame);
    if (kind === 'bookmark') this.#hold(() => super.write(frame));
    else if (kind === 'initial events end') this.#holdInitial(frame);
    else {
      this.stop();
      super.write(frame);
    }
  }

  /** A watch whose frames wait for a bookmark is ended like one of a slow client. */
  override get bufferedBytes(): number {
    return super.bufferedBytes + (this.#initial?.bytes ?? 0);
  }

  override drained(): Promise<void> {
    return this.#initial?.sent.promise ?? super.drained();
  }

  /** Drops everything that is held. */
  stop(): void {
    for (const cancel of this.#held) cancel();
    this.#held.clear();
    this.#initial?.sent.resolve();
    this.#initial = undefined;
  }

  #hold(send: () => void): void {
    const cancel = this.#clock.schedule(() => {
      this.#held.delete(cancel);
      send();
    }, this.#delay);
    this.#held.add(cancel);
  }

  #holdInitial(frame: Uint8Array): void {
    const initial = { later: [], bytes: frame.length, sent: Promise.withResolvers<void>() };
    this.#initial = initial;
    this.#hold(() => {
      this.#initial = undefined;
      super.write(frame);
      for (const later of initial.later) this.write(later);
      initial.sent.resolve();
    });
  }
}
