import type { KubeObject } from '@apiserver/apimachinery';
import { freezeJson } from '@apiserver/apimachinery/json';
import type { StoredEntry } from '../stored-entry.js';

/**
 * Written objects that only the response to their write needs, which is made in the same event loop turn. They end with
 * the turn: objects that were kept longer would survive minor collections, which costs more than decoding a few again.
 */
export class LentObjects<T extends KubeObject> {
  #entries: StoredEntry<T>[] = [];

  /**
   * Lends an entry the source of its bytes, which is frozen: a hook that changes it fails, and the entry stays as its
   * bytes. A later response decodes the bytes.
   */
  lend(entry: StoredEntry<T>, written: T): void {
    freezeJson(written);
    entry.offerWritten(written);
    if (this.#entries.push(entry) === 1) setImmediate(this.#withdraw);
  }

  readonly #withdraw = (): void => {
    const entries = this.#entries;
    this.#entries = [];
    for (const entry of entries) entry.withdrawWritten();
  };
}
