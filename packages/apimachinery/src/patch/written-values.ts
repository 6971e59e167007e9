import { sortedKeysSteps } from '../codec/canonical/member-order.js';
import { CLOSE_BRACE, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../codec/json/json-bytes.js';
import { JsonCursor } from '../codec/json/json-cursor.js';
import { writeScalar } from '../codec/json/stringify-json.js';
import { setOwn } from '../json/set-own.js';
import type { DeepReadonly, Json, JsonObject } from '../types/json.js';
import type { JsonPatchOperation } from './decode-json-patch.js';

/** Values that are read or written between two pauses. */
const SLICE = 4_096;

/** Names that JavaScript would move, and those that Go may write otherwise. */
const UNUSUAL = /^(?:0|[1-9]\d*)$|[<>&\u2028\u2029\ufffd]/;

/**
 * JSON values for the text that upstream makes of a patched document. Each scalar is its text, and null is null. Upstream
 * parses only the objects that the patch opens, and sorts their members. All others keep their text: the order of their
 * members, repeated names, and escapes.
 *
 * Upstream: lazyNode in gopkg.in/evanphx/json-patch.v4
 */
export class WrittenValues {
  readonly #opened = new WeakSet<object>();
  /** The texts of objects with members that JavaScript would lose, or write otherwise. */
  readonly #written = new WeakMap<object, Uint8Array>();
  #passed = 0;

  /** Notes that upstream parses the object or list. */
  open(container: object): void {
    this.#opened.add(container);
  }

  /** Notes that upstream parses all objects of a value. */
  openAll(value: DeepReadonly<Json>): void {
    if (typeof value !== 'object' || value === null) return;
    this.open(value);
    for (const member of Object.values(value)) this.openAll(member);
  }

  /** A copy of a value, with its texts, in steps. */
  *copy(value: Json): Generator<void, Json> {
    if (this.#isPause()) yield;
    if (typeof value !== 'object' || value === null) return value;
    const copied = Array.isArray(value) ? yield* this.#copyList(value) : yield* this.#copyObject(value);
    if (this.#opened.has(value)) this.#opened.add(copied);
    const written = this.#written.get(value);
    if (written !== undefined) this.#written.set(copied, written);
    return copied;
  }

  /** Reads well-formed JSON text, in steps. */
  *read(bytes: Uint8Array): Generator<void, Json> {
    return yield* this.#read(new JsonCursor(bytes));
  }

  /** Reads the text of a JSON patch, in steps. Only the values of its operations are read as texts. */
  *readOperations(bytes: Uint8Array): Generator<void, JsonPatchOperation[]> {
    const operations: JsonPatchOperation[] = [];
    const cursor = new JsonCursor(bytes);
    if (cursor.peek() !== OPEN_BRACKET) return operations;
    cursor.at++;
    while (cursor.nextElement()) {
      const operation: JsonObject = {};
      if (cursor.peek() !== OPEN_BRACE) cursor.pass();
      else {
        cursor.at++;
        for (let name = cursor.nextKey(); name !== undefined; name = cursor.nextKey()) {
          if (this.#isPause()) yield;
          if (name === 'value') setOwn(operation, name, yield* this.#read(cursor));
          else setOwn(operation, name, textOrOther(cursor));
        }
      }
      operations.push(operation);
    }
    return operations;
  }

  /** Upstream's JSON text of a value before `escapeHtml`, in steps. */
  text(value: Json): Generator<void, string> {
    return this.#write(value);
  }

  *#copyList(list: readonly Json[]): Generator<void, Json[]> {
    const copied: Json[] = [];
    for (const element of list) copied.push(yield* this.copy(element));
    return copied;
  }

  *#copyObject(object: JsonObject): Generator<void, JsonObject> {
    const copied: JsonObject = {};
    for (const [name, member] of Object.entries(object)) setOwn(copied, name, yield* this.copy(member));
    return copied;
  }

  #isPause(): boolean {
    return ++this.#passed % SLICE === 0;
  }

  *#read(cursor: JsonCursor): Generator<void, Json> {
    const first = cursor.peek();
    if (first === OPEN_BRACE) return yield* this.#readObject(cursor);
    if (first !== OPEN_BRACKET) return scalarText(cursor);
    const list: Json[] = [];
    cursor.at++;
    while (cursor.nextElement()) {
      if (this.#isPause()) yield;
      list.push(opens(cursor) ? yield* this.#read(cursor) : scalarText(cursor));
    }
    return list;
  }

  *#readObject(cursor: JsonCursor): Generator<void, JsonObject> {
    const object: JsonObject = {};
    const start = cursor.at;
    let isUnusual = false;
    cursor.at++;
    while (!cursor.take(CLOSE_BRACE)) {
      if (this.#isPause()) yield;
      cursor.take(COMMA);
      cursor.peek();
      const nameStart = cursor.at;
      const name = cursor.readString();
      const isEscaped = cursor.at - nameStart - 2 !== Buffer.byteLength(name);
      isUnusual ||= isEscaped || Object.hasOwn(object, name) || UNUSUAL.test(name);
      cursor.take(COLON);
      setOwn(object, name, opens(cursor) ? yield* this.#read(cursor) : scalarText(cursor));
    }
    if (isUnusual) this.#written.set(object, cursor.bytes.subarray(start, cursor.at));
    return object;
  }

  *#write(value: Json): Generator<void, string> {
    if (this.#isPause()) yield;
    if (value === null) return 'null';
    if (Array.isArray(value)) return yield* this.#writeList(value);
    // A scalar is its text.
    if (typeof value !== 'object') return String(value);
    if (this.#opened.has(value)) {
      return yield* this.#writeMembers(value, yield* sortedKeysSteps(Object.keys(value)));
    }
    const written = this.#written.get(value);
    return written === undefined
      ? yield* this.#writeMembers(value, Object.keys(value))
      : yield* this.#compacted(written);
  }

  *#writeList(list: readonly Json[]): Generator<void, string> {
    let text = '';
    for (const element of list) text += `${text === '' ? '' : ','}${yield* this.#write(element)}`;
    return `[${text}]`;
  }

  *#writeMembers(object: JsonObject, names: readonly string[]): Generator<void, string> {
    let text = '';
    for (const name of names) {
      text += `${text === '' ? '' : ','}${writeScalar(name)}:${yield* this.#write(object[name] ?? null)}`;
    }
    return `{${text}}`;
  }

  /** JSON text without the spaces between its tokens. */
  *#compacted(bytes: Uint8Array): Generator<void, string> {
    const cursor = new JsonCursor(bytes);
    let text = '';
    while (cursor.peek() !== 0) {
      if (this.#isPause()) yield;
      if (cursor.peek() === QUOTE) text += cursor.readQuoted();
      // A literal ends at neither of these.
      else if (opens(cursor)) text += String.fromCharCode(bytes[cursor.at++] ?? 0);
      else text += cursor.readLiteral() || String.fromCharCode(bytes[cursor.at++] ?? 0);
    }
    return text;
  }
}

function opens(cursor: JsonCursor): boolean {
  const first = cursor.peek();
  return first === OPEN_BRACE || first === OPEN_BRACKET;
}

function scalarText(cursor: JsonCursor): Json {
  const text = cursor.peek() === QUOTE ? cursor.readQuoted() : cursor.readLiteral();
  return text === 'null' ? null : text;
}

/** A text, or any value of the same type as the one at the cursor. */
function textOrOther(cursor: JsonCursor): Json {
  const first = cursor.peek();
  if (first === QUOTE) return cursor.readString();
  if (!opens(cursor)) return literalOf(cursor.readLiteral());
  cursor.pass();
  return first === OPEN_BRACE ? {} : [];
}

function literalOf(text: string): Json {
  if (text === 'null') return null;
  return text === 'true' || text === 'false' ? text === 'true' : 0;
}
