import type { WatchEvent } from '@apiserver/apiserver-contracts';
import { nextTurn } from '../body/event-loop-turns.js';

interface PreparedEventsOptions {
  /** Prepares the object of an event. Undefined: nothing to await. */
  readonly prepare: (event: WatchEvent) => Promise<unknown> | undefined;
  readonly take: (event: WatchEvent) => void;
  /** Called at most once. No event follows. */
  readonly fail: (error: unknown) => void;
}

/**
 * Passes events on in order. Events of large objects are prepared first, one per event loop turn. While none is
 * pending, each is passed on at once.
 */
export class PreparedEvents {
  readonly #options: PreparedEventsOptions;
  #waiting: WatchEvent[] = [];
  #draining: Promise<void> | undefined;
  #bytes = 0;

  constructor(options: PreparedEventsOptions) {
    this.#options = options;
  }

  /** The known bytes of objects of pending events. */
  get bytes(): number {
    return this.#bytes;
  }

  push(event: WatchEvent): void {
    const { prepare, take } = this.#options;
    const preparing = this.#draining === undefined ? prepare(event) : undefined;
    if (this.#draining === undefined && preparing === undefined) {
      take(event);
      return;
    }
    this.#waiting.push(event);
    this.#bytes += event.object.byteLength ?? 0;
    this.#draining ??= this.#drain(preparing);
  }

  /** Resolves when no event is pending; undefined if none is. */
  drained(): Promise<void> | undefined {
    return this.#draining;
  }

  /** Drops the pending events. */
  stop(): void {
    this.#waiting = [];
    this.#bytes = 0;
  }

  async #drain(first: Promise<unknown> | undefined): Promise<void> {
    const { prepare, take, fail } = this.#options;
    let preparing = first;
    try {
      for (let event = this.#waiting[0]; event !== undefined; event = this.#waiting[0]) {
        await (preparing ?? prepare(event));
        preparing = undefined;
        // Stopped in the meantime.
        if (this.#waiting[0] !== event) return;
        this.#waiting.shift();
        this.#bytes -= event.object.byteLength ?? 0;
        take(event);
        await nextTurn();
      }
    } catch (error) {
      this.stop();
      fail(error);
    } finally {
      this.#draining = undefined;
    }
  }
}
