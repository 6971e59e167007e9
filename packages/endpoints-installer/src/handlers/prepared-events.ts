import type { WatchEvent } from '@apiserver/apiserver-contracts';
import { nextTurn } from '../body/give-way.js';

interface PreparedEventsOptions {
  /** Makes the object of an event. Undefined: there is nothing to wait for. */
  readonly prepare: (event: WatchEvent) => Promise<unknown> | undefined;
  readonly take: (event: WatchEvent) => void;
  /** Called at most once; nothing is handed on after it. */
  readonly fail: (error: unknown) => void;
}

/**
 * Hands events on in their order, those of large objects when these have been made, one in a turn of the event loop. As
 * long as none of them waits, each is handed on at once.
 */
export class PreparedEvents {
  readonly #options: PreparedEventsOptions;
  #waiting: WatchEvent[] = [];
  #draining: Promise<void> | undefined;
  #bytes = 0;

  constructor(options: PreparedEventsOptions) {
    this.#options = options;
  }

  /** Bytes of the objects whose events wait, as far as they are known. */
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

  /** Resolves when no event waits; undefined: none does. */
  drained(): Promise<void> | undefined {
    return this.#draining;
  }

  /** Forgets those that wait. */
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
        // Stopped meanwhile.
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
