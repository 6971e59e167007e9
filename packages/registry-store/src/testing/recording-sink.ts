import type { KeyValueError } from '../key-value-error.js';
import type { KeyValueEvent, KeyValueSink } from '../key-value-store.js';

/** An event as plain text: `put /a=1 @3 before x@2`. */
function describeEvent(event: KeyValueEvent): string {
  const value = event.type === 'put' ? `=${Buffer.from(event.value).toString()}` : '';
  const before = event.previous;
  const previous = before === undefined ? '' : ` before ${Buffer.from(before.value).toString()}@${before.modRevision}`;
  return `${event.type} ${event.key}${value} @${event.revision}${previous}`;
}

/** Records what a watch delivers, and lets a test wait for it. */
export class RecordingSink implements KeyValueSink {
  readonly events: string[] = [];
  error: KeyValueError | undefined;
  #changed = Promise.withResolvers<void>();

  event(event: KeyValueEvent): void {
    this.events.push(describeEvent(event));
    this.#wake();
  }

  end(error: KeyValueError): void {
    this.error = error;
    this.#wake();
  }

  /** Resolves with the events once there are `count`. */
  async have(count: number): Promise<readonly string[]> {
    while (this.events.length < count && this.error === undefined) await this.#changed.promise;
    return this.events;
  }

  async ended(): Promise<KeyValueError> {
    while (this.error === undefined) await this.#changed.promise;
    return this.error;
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
