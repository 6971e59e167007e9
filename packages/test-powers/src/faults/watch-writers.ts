import { Buffer } from 'node:buffer';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { ResponseWriter } from '@apiserver/apiserver-contracts';
import { PassingWriter } from '../power/passing-writer.js';

const bookmark = Buffer.from('BOOKMARK');
/** The annotation of the bookmark behind the initial events, in every encoding. */
const initialEventsEnd = Buffer.from('k8s.io/initial-events-end');
/** The type of an event is among its first bytes. */
const HEAD_BYTES = 32;

/** True for the frame of a bookmark, except that behind the initial events. */
function isBookmark(frame: Uint8Array): boolean {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.length);
  return bytes.subarray(0, HEAD_BYTES).includes(bookmark) && !bytes.includes(initialEventsEnd);
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

/** Drops the bookmarks of a watch. */
export class BookmarkDroppingWriter extends PassingWriter {
  override write(frame: Uint8Array): void {
    if (!isBookmark(frame)) super.write(frame);
  }
}

/** Holds each bookmark for a time. A later event overtakes it, and then it is dropped: its version is no news any more. */
export class LateBookmarkWriter extends PassingWriter {
  readonly #clock: Clock;
  readonly #delay: number;
  #cancel: (() => void) | undefined = undefined;

  constructor(writer: ResponseWriter, clock: Clock, delay: number) {
    super(writer);
    this.#clock = clock;
    this.#delay = delay;
  }

  override write(frame: Uint8Array): void {
    this.stop();
    if (isBookmark(frame)) this.#cancel = this.#clock.schedule(() => super.write(frame), this.#delay);
    else super.write(frame);
  }

  /** Drops the bookmark that is held. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
