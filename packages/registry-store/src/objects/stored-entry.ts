import type { GroupResource, KubeObject, Labels } from '@apiserver/apimachinery';
import { parseJsonValue } from '@apiserver/apimachinery/codec/json';
import { freezeJson, freezeJsonSteps } from '@apiserver/apimachinery/json';
import type { Fields } from '@apiserver/apimachinery/selectors';
import type { StoredObject, WireForm } from '@apiserver/apiserver-contracts';
import { newCorruptObjectError } from '../storage-error.js';
import type { DecodedObjects } from './decoded-objects.js';
import { jsonMember } from './forms/json-members.js';
import type { ObjectForm } from './forms/object-form.js';
import { asBuffer } from './forms/resource-version-splice.js';
import { jsonOutline } from './json-outline.js';
import { takeTurns } from './take-turns.js';

/** What the entries of one resource share. */
export interface EntryKind<T extends KubeObject> {
  readonly form: ObjectForm<T>;
  readonly decoded: DecodedObjects;
  readonly groupResource: GroupResource;
  readonly namespaced: boolean;
  /** Full key of the resource's folder, with a slash at the end. */
  readonly prefix: string;
  /** The same without the root of all keys, and without slashes around it. */
  readonly keyPrefix: string;
  /** A field, "spec.nodeName", by whose value lists and watches are looked up. */
  readonly indexedField?: string;
  /** Values for field selectors beyond name and namespace; absent when the kind has none. */
  selectableFields?(object: T): Readonly<Record<string, string>>;
}

const OPEN_BRACE = 0x7b;
const QUOTE = 0x22;
const NO_LABELS: Labels = {};
/** Bytes from which on an object is decoded in turns: below, steps would only cost. */
const LARGE = 256 * 1024;

/**
 * A stored object at one revision. Holds its wire bytes; everything else is worked out when somebody asks: the parsed
 * object and selectable fields (kept as long as the shared bound on parsed objects allows), and labels (kept).
 */
export class StoredEntry<T extends KubeObject> implements StoredObject<T> {
  /** "name" or "namespace/name". */
  readonly key: string;
  readonly revision: number;
  /** How long its wire bytes are. */
  readonly byteLength: number;
  /** What they lie in, and where: a view of its own for each entry would take a hundred bytes. */
  #memory: Uint8Array;
  #offset = 0;
  /** Of the cache (see ByteSlabs). */
  slot = -1;
  /** How many bytes the store keeps for it; 0 while nobody has seen them. */
  storedBytes = 0;
  /** The bytes at rest should be written anew: another storage version, or an old key (see Transformer). */
  readonly stale: boolean;
  readonly #kind: EntryKind<T>;
  #object: T | undefined;
  /** What the bytes were made of, until somebody asks for the object. */
  #written: T | undefined;
  #labels: Labels | undefined;
  #fields: Fields | undefined;
  #loading: Promise<T> | undefined;

  constructor(kind: EntryKind<T>, key: string, revision: number, wire: { bytes: Uint8Array; stale: boolean }) {
    this.#kind = kind;
    this.key = key;
    this.revision = revision;
    this.#memory = wire.bytes;
    this.byteLength = wire.bytes.length;
    this.stale = wire.stale;
  }

  /** What the wire bytes lie in, alone or with those of others. */
  get memory(): Uint8Array {
    return this.#memory;
  }

  /** The wire bytes: the same content always, but the cache may move it, so that a view taken later may be another. */
  get bytes(): Uint8Array {
    const memory = this.#memory;
    if (memory.length === this.byteLength) return memory;
    return memory.subarray(this.#offset, this.#offset + this.byteLength);
  }

  /** Of the cache (see ByteSlabs): the wire bytes lie there from now on. */
  moveTo(memory: Uint8Array, offset: number): void {
    this.#memory = memory;
    this.#offset = offset;
  }

  get object(): T {
    const object = this.#object ?? this.#decode();
    this.#kind.decoded.used(this);
    return object;
  }

  /** See StoredObject: all who ask meanwhile wait for the same. */
  load(): Promise<T> | undefined {
    if (this.byteLength < LARGE || this.#object !== undefined) return undefined;
    this.#loading ??= this.#decodeInTurns();
    return this.#loading;
  }

  get resourceVersion(): string {
    return String(this.revision);
  }

  get namespace(): string {
    return this.#kind.namespaced ? this.key.slice(0, this.key.indexOf('/')) : '';
  }

  get name(): string {
    return this.#kind.namespaced ? this.key.slice(this.key.indexOf('/') + 1) : this.key;
  }

  get labels(): Labels {
    this.#labels ??= this.#object?.metadata.labels ?? this.#scanLabels();
    return this.#labels;
  }

  /** Fields that can be told from the key. */
  get metadataFields(): Fields {
    const name = { 'metadata.name': this.name };
    return this.#kind.namespaced ? { ...name, 'metadata.namespace': this.namespace } : name;
  }

  /** Those, and the indexed field. */
  get unparsedFields(): Fields {
    const { indexedField } = this.#kind;
    const fields = this.metadataFields;
    return indexedField === undefined ? fields : { ...fields, [indexedField]: this.indexedValue };
  }

  /** All fields that can be selected by. */
  get fields(): Fields {
    this.#fields ??= { ...this.#selectableFields(), ...this.metadataFields };
    return this.#fields;
  }

  /** Of a large object that nobody has decoded they are worked out from an outline of it, which costs a few passes over bytes. */
  #selectableFields(): Fields | undefined {
    const { selectableFields, form } = this.#kind;
    if (selectableFields === undefined) return undefined;
    if (this.#object !== undefined || this.byteLength < LARGE) return selectableFields(this.object);
    const bytes = asBuffer(this.bytes);
    const named = Object.keys(selectableFields(form.decode(jsonOutline(bytes))));
    const names = [...new Set(named.flatMap((path) => path.split('.')))];
    return selectableFields(form.decode(jsonOutline(bytes, names)));
  }

  /** The value of the kind's indexed field; "" where there is none. Nothing is parsed for it. */
  get indexedValue(): string {
    const path = this.#kind.indexedField?.split('.') ?? [];
    const bytes = asBuffer(this.bytes);
    let at = 0;
    for (const name of path) {
      const member = bytes[at] === OPEN_BRACE ? jsonMember(bytes, at, name) : undefined;
      if (member === undefined) return '';
      at = member.valueStart;
      if (name === path.at(-1) && bytes[at] === QUOTE) return JSON.parse(bytes.toString('utf8', at, member.end));
    }
    return '';
  }

  /**
   * Takes over what the bytes were made of, so that they need not be parsed for the next update. Counts as a use. Of a large
   * object nothing is kept: it takes many times its bytes of memory, and to read it again is no step of a few milliseconds.
   */
  keepWritten(written: T): void {
    if (this.#object !== undefined || this.byteLength >= LARGE) return;
    this.#written = freezeJson(written) as T;
    this.#kind.decoded.used(this);
  }

  wire(form: WireForm): Uint8Array | undefined {
    const kept = this.#kind.form.wireForm;
    const same =
      form.contentType === kept.contentType &&
      form.version === kept.version &&
      form.kind === kept.kind &&
      form.group === kept.group;
    return same ? this.bytes : undefined;
  }

  /**
   * The same state under another revision: what a deletion answers. Its object, where the caller has it or it is at hand, is
   * not decoded again.
   */
  atRevision(revision: number, object = this.#object): StoredEntry<T> {
    const bytes = this.#kind.form.rewire(this.bytes, revision);
    const entry = new StoredEntry(this.#kind, this.key, revision, { bytes, stale: this.stale });
    if (object !== undefined) entry.#takeObject(object);
    return entry;
  }

  /** Lets the parsed object go, and what was made of it; called by DecodedObjects. */
  forgetObject(): void {
    this.#object = undefined;
    this.#written = undefined;
    this.#fields = undefined;
  }

  /** The object of another revision: only the version differs. */
  #takeObject(other: T): void {
    const metadata = { ...other.metadata, resourceVersion: this.resourceVersion };
    this.#object = freezeJson({ ...other, metadata }) as T;
  }

  async #decodeInTurns(): Promise<T> {
    try {
      this.#object = await takeTurns(this.#steps());
      this.#kind.decoded.used(this);
      return this.#object;
    } catch (cause) {
      throw newCorruptObjectError(this.#kind.prefix + this.key, cause);
    } finally {
      this.#loading = undefined;
    }
  }

  *#steps(): Generator<void, T> {
    const object = yield* this.#kind.form.decodeSteps(this.bytes);
    yield;
    return (yield* freezeJsonSteps(object)) as T;
  }

  #decode(): T {
    const { form } = this.#kind;
    const written = this.#written && form.decodeWritten?.(this.#written, this.revision);
    this.#written = undefined;
    try {
      this.#object = freezeJson(written ?? form.decode(this.bytes)) as T;
      return this.#object;
    } catch (cause) {
      throw newCorruptObjectError(this.#kind.prefix + this.key, cause);
    }
  }

  /** Reads the labels alone: a list by label over objects nobody has parsed must not parse them all. */
  #scanLabels(): Labels {
    const bytes = asBuffer(this.bytes);
    const metadata = jsonMember(bytes, 0, 'metadata');
    const labels = metadata && jsonMember(bytes, metadata.valueStart, 'labels');
    if (labels === undefined) return NO_LABELS;
    return parseJsonValue(bytes.subarray(labels.valueStart, labels.end)) as Labels;
  }
}
