import { TimeSlice } from '@apiserver/apimachinery/clock';
import type { Exchange } from '@apiserver/apiserver-contracts';

interface Member {
  readonly exchange: Exchange;
  /** Its index in the list. */
  at: number;
}

/**
 * The requests for which shutdown waits. After `wait`, it rejects further ones.
 * Upstream: k8s.io/apimachinery/pkg/util/waitgroup.SafeWaitGroup
 */
export class RequestGroup {
  /**
   * Not a Set: V8 chains the tables that a Set has outgrown, so entries that pass through an old one cannot be
   * collected young.
   */
  readonly #members: Member[] = [];
  #closed = false;
  #whenEmpty: (() => void)[] = [];

  /** Counts the request until it has finished; false after `wait`. */
  enter(exchange: Exchange): boolean {
    if (this.#closed) return false;
    const member = { exchange, at: this.#members.length };
    this.#members.push(member);
    exchange.onFinished(() => this.#leave(member));
    return true;
  }

  get size(): number {
    return this.#members.length;
  }

  /** Admits no further requests, and resolves when the last one has finished. */
  wait(): Promise<void> {
    this.#closed = true;
    if (this.#members.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenEmpty.push(resolve));
  }

  /**
   * Aborts all members, so that their clients do not all reconnect at once: 200 each second, or as many as end all of
   * them within `spread` milliseconds. Resolves after the last one.
   * Upstream: the limiter in k8s.io/apiserver/pkg/server/genericapiserver.go
   */
  async abortAll(reason: unknown, spread: number): Promise<void> {
    const members = [...this.#members];
    const slices = Math.max(1, Math.min(Math.ceil(members.length / MIN_PER_SLICE), Math.floor(spread / SLICE_MS)));
    const perSlice = Math.ceil(members.length / slices);
    for (let index = 0; index < members.length; index += perSlice) {
      if (index > 0) await new Promise((resolve) => setTimeout(resolve, SLICE_MS));
      const slice = new TimeSlice();
      for (const { exchange } of members.slice(index, index + perSlice)) {
        exchange.abort(reason);
        // Thousands of watches end at once, and other requests are still being answered.
        if (slice.over) await slice.yield();
      }
    }
  }

  #leave(member: Member): void {
    const last = this.#members.pop();
    if (last !== undefined && last !== member) {
      this.#members[member.at] = last;
      last.at = member.at;
    }
    if (this.#members.length > 0) return;
    for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }
}

/** Milliseconds between two groups of requests that are ended. */
const SLICE_MS = 100;
/** 200 requests each second. */
const MIN_PER_SLICE = 20;
