import { escapeHtml } from '../../text/escape-html.js';
import type { Members } from '../canonical/canonical-context.js';
import type { DecodingSteps } from '../canonical/decoding-steps.js';
import { sortedKeysSteps } from '../canonical/member-order.js';
import { writeScalar } from './stringify-json.js';

/** Number of values that one step writes. */
const RUN = 4_096;

/** `stringifyJson` in steps, for values with very many members. */
export function* stringifyJsonSteps(value: unknown): DecodingSteps<string> {
  const writer = new SteppedWriter();
  yield* writer.value(value);
  return writer.text();
}

class SteppedWriter {
  #done = '';
  #open = '';
  #values = 0;

  text(): string {
    this.#close();
    return this.#done;
  }

  *value(value: unknown): DecodingSteps<void> {
    if (Array.isArray(value)) yield* this.#items(value);
    else if (typeof value === 'object' && value !== null) yield* this.#members(value as Members);
    else this.#open += writeScalar(value);
  }

  *#items(items: readonly unknown[]): DecodingSteps<void> {
    this.#open += '[';
    for (let i = 0; i < items.length; i++) {
      if (i > 0) this.#open += ',';
      yield* this.#member(items[i]);
    }
    this.#open += ']';
  }

  *#members(object: Members): DecodingSteps<void> {
    let separator = '';
    this.#open += '{';
    for (const key of yield* sortedKeysSteps(Object.keys(object))) {
      const value = object[key];
      if (value === undefined) continue;
      this.#open += `${separator}${writeScalar(key)}:`;
      separator = ',';
      yield* this.#member(value);
    }
    this.#open += '}';
  }

  *#member(value: unknown): DecodingSteps<void> {
    if (typeof value === 'object' && value !== null) yield* this.value(value);
    else this.#open += writeScalar(value);
    if (++this.#values % RUN > 0) return;
    this.#close();
    yield;
  }

  #close(): void {
    this.#done += escapeHtml(this.#open);
    this.#open = '';
  }
}
