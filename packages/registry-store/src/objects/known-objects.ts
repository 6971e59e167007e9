import type { KubeObject } from '@apiserver/apimachinery';
import { freezeJson } from '@apiserver/apimachinery/json';
import type { KeyValue } from '../key-value-store.js';
import type { ObjectForm } from './forms/object-form.js';

/** The wire form of one stored value. */
export interface SharedWire {
  /** The key below the prefix of its kind. */
  readonly key: string;
  readonly bytes: Uint8Array;
}

/** Wire bytes that stores of a process share. */
export interface WireSource {
  /** The wire form of a stored value that is not encrypted. Undefined if it is not kept: read it as others are. */
  of<T extends KubeObject>(kv: KeyValue, kind: WireKind<T>): SharedWire | undefined;
}

/** The part of a kind that determines the wire form. */
export interface WireKind<T extends KubeObject> {
  readonly form: ObjectForm<T>;
  /** Prefix of the resource's full keys. */
  readonly prefix: string;
}

/** Decoded objects that stores of a process share. */
export interface ObjectSource {
  /** The wire bytes of stored values. Absent: they are not shared. */
  readonly wires?: WireSource;
  /**
   * The frozen object of wire bytes, for a key below the root of all keys; undefined if the source does not know it.
   */
  decode<T extends KubeObject>(key: string, bytes: Uint8Array, form: ObjectForm<T>): T | undefined;
}

/** An object that many stores of a process have: its stored bytes, with marks in place of its UID and times. */
export interface KnownText {
  /** The key below the root of all keys. */
  readonly key: string;
  readonly text: string;
}

/** The texts that stand for values. */
export interface KnownMarks {
  readonly uid: string;
  readonly time: string;
}

/** A value that differs between stores. */
type Gap = 'uid' | 'time' | 'version';
type GapValues = Readonly<Record<Gap, string>>;

/** Members of a value that are gaps, or contain gaps. */
type Holes = ReadonlyMap<string | number, Gap | Holes>;

const LENGTHS = { uid: 36, time: 20 } as const;
const PATTERNS: Readonly<Record<Gap, RegExp>> = {
  uid: /^[-0-9a-f]{36}$/,
  time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  version: /^\d+$/,
};
const QUOTE = 0x22;
/** Stands for the resource version in the wire text of a known object. */
const REVISION = 987_654_321_012;

/**
 * Decodes objects that differ in UID, times and version alone: the rest of the decoded object is shared, and not parsed
 * again. Objects with other bytes are unknown.
 */
export class KnownObjects implements ObjectSource {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #marks: KnownMarks;
  readonly #compiled = new Map<string, KnownObject>();

  constructor(texts: readonly KnownText[], marks: KnownMarks) {
    this.#texts = new Map(texts.map(({ key, text }) => [key, text]));
    this.#marks = marks;
  }

  /** The frozen object of wire bytes; undefined if they are not those of a known object. */
  decode<T extends KubeObject>(key: string, bytes: Uint8Array, form: ObjectForm<T>): T | undefined {
    const text = this.#texts.get(key);
    if (text === undefined || !form.wireIsAtRest) return undefined;
    // A server with other options may keep the object in another form.
    const id = `${form.wireForm.version} ${key}`;
    const known = this.#compiled.get(id) ?? new KnownObject(wireText(text, form), this.#marks);
    this.#compiled.set(id, known);
    return known.decode(bytes, form);
  }
}

function wireText<T extends KubeObject>(text: string, form: ObjectForm<T>): string {
  return Buffer.from(form.wire(Buffer.from(text), REVISION).bytes).toString();
}

class KnownObject {
  /** A gap follows each segment but the last. */
  readonly #segments: readonly Buffer[];
  readonly #gaps: readonly Gap[];
  #shared: { readonly object: KubeObject; readonly holes: Holes } | undefined = undefined;

  constructor(text: string, { uid, time }: KnownMarks) {
    const gapOf = new Map<string, Gap>([
      [uid, 'uid'],
      [time, 'time'],
      [String(REVISION), 'version'],
    ]);
    const marks = new RegExp([...gapOf.keys()].map(RegExp.escape).join('|'), 'g');
    this.#segments = text.split(marks).map((part) => Buffer.from(part));
    this.#gaps = (text.match(marks) ?? []).map((mark) => gapOf.get(mark) ?? 'time');
  }

  decode<T extends KubeObject>(bytes: Uint8Array, form: ObjectForm<T>): T | undefined {
    const values = this.#valuesIn(bytes);
    if (values === undefined) return undefined;
    if (this.#shared === undefined) {
      const object = freezeJson(form.decode(bytes)) as T;
      this.#shared = { object, holes: holesOf(object, values) };
      return object;
    }
    return filled(this.#shared.object, this.#shared.holes, values) as T;
  }

  #valuesIn(bytes: Uint8Array): GapValues | undefined {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const values: Record<Gap, string> = { uid: '', time: '', version: '' };
    let at = 0;
    for (const [index, segment] of this.#segments.entries()) {
      const end = at + segment.length;
      if (end > buffer.length || buffer.compare(segment, 0, segment.length, at, end) !== 0) return undefined;
      const gap = this.#gaps[index];
      if (gap === undefined) return end === buffer.length ? values : undefined;
      at = gap === 'version' ? buffer.indexOf(QUOTE, end) : end + LENGTHS[gap];
      const value = buffer.toString('latin1', end, Math.max(end, at));
      if (!PATTERNS[gap].test(value) || (values[gap] !== '' && values[gap] !== value)) return undefined;
      values[gap] = value;
    }
    return undefined;
  }
}

function holesOf({ metadata, ...others }: KubeObject, values: GapValues): Holes {
  const holes = new Map(holesIn({ ...others, metadata }, values));
  const ofMetadata = holes.get('metadata');
  holes.set('metadata', new Map([...(ofMetadata instanceof Map ? ofMetadata : []), ['resourceVersion', 'version']]));
  return holes;
}

function holesIn(value: object, values: GapValues): Holes {
  const holes = new Map<string | number, Gap | Holes>();
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [name, member] of entries) {
    if (member === values.uid) holes.set(name, 'uid');
    else if (member === values.time) holes.set(name, 'time');
    else if (typeof member === 'object' && member !== null) {
      const inside = holesIn(member, values);
      if (inside.size > 0) holes.set(name, inside);
    }
  }
  return holes;
}

/** A copy of what contains gaps; the rest is shared. */
function filled(value: object, holes: Holes, values: GapValues): object {
  const copy = Array.isArray(value) ? [...value] : { ...value };
  for (const [name, hole] of holes) {
    const member: unknown = Reflect.get(copy, name);
    Reflect.set(copy, name, typeof hole === 'string' ? values[hole] : filled(Object(member), hole, values));
  }
  return Object.freeze(copy);
}
