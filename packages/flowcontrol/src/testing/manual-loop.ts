import type { EventLoop } from '../turns/turns.js';

/** An event loop whose time and turns a test controls. */
export class ManualLoop implements EventLoop {
  time = 0;
  #next: (() => void)[] = [];

  now(): number {
    return this.time;
  }

  nextTurn(callback: () => void): void {
    this.#next.push(callback);
  }

  afterPromises(callback: () => void): void {
    callback();
  }

  /** Runs one turn. Returns false if nothing waits for it. */
  turn(): boolean {
    const callbacks = this.#next;
    this.#next = [];
    for (const callback of callbacks) callback();
    return callbacks.length > 0;
  }
}
