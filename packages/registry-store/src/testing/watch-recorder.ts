import type { KubeObject } from '@apiserver/apimachinery';
import type { StatusError } from '@apiserver/apimachinery/errors';
import type { WatchEvent, WatchSink, WatchSource } from '@apiserver/apiserver-contracts';

/** Starts a watch, records its events as text (`ADDED ns/a@3`), and lets a test wait for them. */
export class WatchRecorder<T extends KubeObject> implements WatchSink<T> {
  readonly events: WatchEvent<T>[] = [];
  error: StatusError | undefined;
  closed = false;
  #changed = Promise.withResolvers<void>();

  constructor(source: WatchSource<T>) {
    source.start(this);
  }

  get lines(): readonly string[] {
    return this.events.map(describeWatchEvent);
  }

  event(event: WatchEvent<T>): void {
    this.events.push(event);
    this.#wake();
  }

  end(error?: StatusError): void {
    this.error = error;
    this.closed = true;
    this.#wake();
  }

  /** Resolves with the lines once there are `count`, or the watch has ended. */
  async have(count: number): Promise<readonly string[]> {
    while (this.events.length < count && !this.closed) await this.#changed.promise;
    return this.lines;
  }

  /** The error of the end; undefined for an orderly one. */
  async ended(): Promise<StatusError | undefined> {
    while (!this.closed) await this.#changed.promise;
    return this.error;
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** `ADDED ns/a@3`; a bookmark shows its annotations. */
function describeWatchEvent<T extends KubeObject>({ type, object }: WatchEvent<T>): string {
  const { name, namespace, resourceVersion, annotations } = object.object.metadata;
  const place = type === 'BOOKMARK' ? JSON.stringify(annotations ?? {}) : `${namespace ?? ''}/${name ?? ''}`;
  return `${type} ${place}@${resourceVersion ?? ''}`;
}
