import { quote } from '../text/quote.js';
import type { JsonCursor } from './json-cursor.js';

/** More strict errors than these are not collected. */
const MAX_STRICT_ERRORS = 100;

/** Where the exact decoder is in the text and in the types, and what it has found wrong. */
export class ExactState {
  readonly cursor: JsonCursor;
  readonly strictErrors: string[] = [];
  /** The first type error; decoding goes on to the end, as upstream. */
  typeError: string | undefined;
  readonly #strict: boolean;
  readonly #seen = new Set<string>();
  #strictPath = '';
  #fieldPath = '';
  #structName = '';

  constructor(cursor: JsonCursor, strict: boolean) {
    this.cursor = cursor;
    this.#strict = strict;
  }

  /** The keys of the object at the cursor; the caller consumes each value before it asks for the next key. */
  *keys(): Generator<string> {
    const { cursor } = this;
    cursor.at++;
    while (!cursor.take(0x7d)) {
      cursor.take(0x2c);
      cursor.peek();
      const key = cursor.readString();
      cursor.take(0x3a);
      yield key;
    }
  }

  /** Calls `decode` with the cursor at each element of the array at the cursor. */
  elements(decode: (index: number) => void): void {
    const { cursor } = this;
    cursor.at++;
    for (let index = 0; !cursor.take(0x5d); index++) {
      cursor.take(0x2c);
      decode(index);
    }
  }

  /** Notes that decoding goes into a struct's field, inside of inline structs perhaps; the result takes it back. */
  enterField(structName: string, name: string, embedding = ''): () => void {
    const [struct, field] = [this.#structName, this.#fieldPath];
    const leave = this.enterKey(name);
    this.#structName = structName;
    const named = embedding + name;
    this.#fieldPath = field === '' ? named : `${field}.${named}`;
    return () => {
      leave();
      this.#structName = struct;
      this.#fieldPath = field;
    };
  }

  /** The same for a key of a map, which type errors do not name. */
  enterKey(key: string): () => void {
    const path = this.#strictPath;
    this.#strictPath = this.#child(key);
    return () => {
      this.#strictPath = path;
    };
  }

  /** The same for an element of a list. */
  enterIndex(index: number): () => void {
    const path = this.#strictPath;
    this.#strictPath = `${path}[${index}]`;
    return () => {
      this.#strictPath = path;
    };
  }

  checkDuplicate(seen: Set<string>, key: string): void {
    if (seen.has(key)) this.saveStrictError('duplicate field', key);
    else seen.add(key);
  }

  saveStrictError(what: 'unknown field' | 'duplicate field', key: string): void {
    if (!this.#strict || this.strictErrors.length >= MAX_STRICT_ERRORS) return;
    const text = `${what} ${quote(this.#child(key))}`;
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    this.strictErrors.push(text);
  }

  saveError(message: string): void {
    this.typeError ??= message;
  }

  saveTypeError(value: string, goType: string): void {
    this.typeError ??= this.typeErrorText(value, goType);
  }

  typeErrorText(value: string, goType: string): string {
    const where =
      this.#structName === '' && this.#fieldPath === ''
        ? 'Go value'
        : `Go struct field ${this.#structName}.${this.#fieldPath}`;
    return `json: cannot unmarshal ${value} into ${where} of type ${goType}`;
  }

  #child(key: string): string {
    return this.#strictPath === '' ? key : `${this.#strictPath}.${key}`;
  }
}
