import type { KubeObject } from '@apiserver/apimachinery';
import type { StoredObject, WatchEvent } from '@apiserver/apiserver-contracts';
import { isInitialEventsEnd } from '../objects/watch/bookmark-event.js';
import type { ResourceSink } from './resource-sink.js';

/**
 * Takes the events of a watch that begins with the present objects: these are a list for the sink, and the rest are its
 * changes. The watches of this server send nothing else before the bookmark that ends the initial events.
 */
export class StreamedList<T extends KubeObject> {
  readonly #sink: ResourceSink<T>;
  /** Undefined once the sink has the list. */
  #listed: StoredObject<T>[] | undefined = [];

  constructor(sink: ResourceSink<T>) {
    this.#sink = sink;
  }

  get isComplete(): boolean {
    return this.#listed === undefined;
  }

  /** The next event must wait for the result. */
  event(event: WatchEvent<T>): Promise<void> | void {
    if (event.type === 'BOOKMARK') return isInitialEventsEnd(event) ? this.#end() : undefined;
    if (this.#listed === undefined) return this.#sink.event(event);
    this.#listed.push(event.object);
  }

  #end(): Promise<void> | void {
    const listed = this.#listed ?? [];
    this.#listed = undefined;
    return this.#sink.replace(listed);
  }
}
