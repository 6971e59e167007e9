import { compareKeys, sortKeys } from '../../json/compare-keys.js';
import { setOwn } from '../../json/set-own.js';
import { escapeHtml } from '../../text/escape-html.js';
import type { Members } from '../canonical/canonical-context.js';
import { hasOrder, sortMembers } from '../canonical/member-order.js';

/**
 * A plain JSON value as upstream writes maps: keys sorted, `<`, `>`, `&`, U+2028 and U+2029 escaped, bigint as
 * integers, no spaces. Lone surrogates become U+FFFD.
 *
 * Upstream: encoding/json of a map[string]any
 */
export function stringifyJson(value: unknown): string {
  return escapeHtml(writeNatively(value) ?? writeValue(value));
}

/** Uses JavaScript's own writer, which is several times as fast; undefined where its result would differ. */
function writeNatively(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const sorting = new Sorting();
  const sorted = sorting.of(value);
  if (!sorting.possible) return undefined;
  try {
    const text = JSON.stringify(sorted);
    // JSON.stringify writes lone surrogates as escapes.
    return text.includes('\\ud') ? undefined : text;
  } catch (error) {
    // The value has a bigint, which JSON.stringify rejects.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Sorts the keys of all objects of a value. Unsorted objects are copied. */
class Sorting {
  /** False after an object that cannot have the order: JavaScript puts numeric keys first. */
  possible = true;

  of(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? this.#items(value) : this.#members(value as Members);
  }

  #items(items: readonly unknown[]): readonly unknown[] {
    let out: unknown[] | undefined;
    for (let i = 0; i < items.length; i++) {
      const sorted = this.of(items[i]);
      if (sorted === items[i]) continue;
      out ??= items.slice();
      out[i] = sorted;
    }
    return out ?? items;
  }

  #members(source: Members): Members {
    let out = source;
    let previous: string | undefined;
    let ordered = true;
    for (const key in source) {
      const member = source[key];
      const sorted = this.of(member);
      if (previous !== undefined && compareKeys(previous, key) > 0) ordered = false;
      previous = key;
      if (sorted === member) continue;
      if (out === source) out = { ...source };
      setOwn(out, key, sorted);
    }
    if (ordered) return out;
    const inOrder = sortMembers(out);
    if (!hasOrder(inOrder)) this.possible = false;
    return inOrder;
  }
}

/** Reports whether the bytes of a text may have a character that `escapeHtml` escapes, by four native searches. */
export function mayHaveHtml(text: Uint8Array): boolean {
  return text.includes(0x3c) || text.includes(0x3e) || text.includes(0x26) || text.includes(0xe2);
}

/** Writes one JSON value without HTML escapes. */
export function writeValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeValue).join(',')}]`;
  if (typeof value === 'object' && value !== null) return writeMembers(value as { [key: string]: unknown });
  return writeScalar(value);
}

function writeMembers(object: { [key: string]: unknown }): string {
  let text = '';
  for (const key of sortKeys(Object.keys(object))) {
    if (object[key] === undefined) continue;
    text += `${text === '' ? '' : ','}${writeScalar(key)}:${writeValue(object[key])}`;
  }
  return `{${text}}`;
}

/** Writes a scalar; undefined becomes null. */
export function writeScalar(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.isWellFormed() ? value : value.toWellFormed());
  if (typeof value === 'bigint' || Number.isFinite(value)) return String(value);
  return JSON.stringify(value ?? null);
}

/** Writes a double of a typed field. Untyped ones were integers, if they are whole. */
export function writeFloat(value: unknown): string {
  return Object.is(value, -0) ? '-0' : writeScalar(value);
}
