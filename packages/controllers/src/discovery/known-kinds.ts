import { type Clock, durationClock, hasElapsed } from '@apiserver/apimachinery/clock';
import { newInternalError } from '@apiserver/apimachinery/errors';
import type { DiscoveredResource, DiscoveredResources, ResourceDiscovery } from './resource-discovery.js';

/** Minimum pause between two reads for unknown kinds, in milliseconds. */
const REFRESH_PAUSE_MS = 1000;

/** The served kinds as they were read last. */
export class KnownKinds {
  readonly #discovery: ResourceDiscovery;
  readonly #clock: Clock;
  #last: Promise<DiscoveredResources> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(options: { readonly discovery: ResourceDiscovery; readonly clock: Clock }) {
    this.#discovery = options.discovery;
    this.#clock = durationClock(options.clock);
  }

  /** Reads what is served now. */
  async refresh(): Promise<DiscoveredResources> {
    this.#readAt = this.#clock.now();
    const reading = this.#discovery();
    this.#last = reading;
    reading.catch(() => {
      if (this.#last === reading) this.#last = undefined;
    });
    return await reading;
  }

  /** The resource of a kind; an unknown kind is looked for once more. Rejects if the server does not serve it. */
  async resourceOf(apiVersion: string, kind: string): Promise<DiscoveredResource> {
    const key = `${apiVersion}/${kind}`;
    const known = (await (this.#last ?? this.refresh())).kinds.get(key);
    if (known !== undefined) return known;
    if (hasElapsed(this.#clock, this.#readAt, REFRESH_PAUSE_MS)) {
      const found = (await this.refresh()).kinds.get(key);
      if (found !== undefined) return found;
    }
    throw newInternalError(new Error(`unable to get REST mapping for ${key}.`));
  }
}
