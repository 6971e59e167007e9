import type { GroupResource, KubeObject, Labels } from '@apiserver/apimachinery';
import { parseJsonValue } from '@apiserver/apimachinery/codec/json';
import { freezeJson, freezeJsonSteps } from '@apiserver/apimachinery/json';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { Fields } from '@apiserver/apimachinery/selectors';
import type { StoredObject, WireForm } from '@apiserver/apiserver-contracts';
import { STAYS } from '../kept/byte-slabs.js';
import type { ObjectRun, RunMember } from '../kept/list-runs.js';
import { type FormMemory, ObjectForms } from '../kept/object-forms.js';
import { detached } from '../own-copy.js';
import { newCorruptObjectError } from '../storage-error.js';
import type { DecodedObjects } from './decoded-objects.js';
import { jsonMember } from './forms/json-members.js';
import { metadataFinder, type TextPlace } from './forms/metadata-place.js';
import type { ObjectForm } from './forms/object-form.js';
import { partsReader } from './forms/object-parts.js';
import { asBuffer } from './forms/resource-version-splice.js';
import { jsonExcerpt } from './json-excerpt.js';
import { jsonOutline } from './json-outline.js';
import type { ObjectSource } from './known-objects.js';
import { takeTurns } from './take-turns.js';

/** Properties that the entries of one resource share. */
export interface EntryKind<T extends KubeObject> {
  readonly form: ObjectForm<T>;
  readonly decoded: DecodedObjects;
  /** Memory for further forms of cached objects. Absent: none are kept. */
  readonly formMemory?: FormMemory;
  /**
   * The kind of the wire bytes, if this server has encoded them, and their metadata is ObjectMeta. Absent: it may not
   * have.
   */
  readonly ownKind?: KindSchema;
  readonly groupResource: GroupResource;
  readonly namespaced: boolean;
  /** Prefix of the resource's full keys, with a trailing slash. */
  readonly prefix: string;
  /** The same without the root of all keys, and without slashes around it. */
  readonly keyPrefix: string;
  /** A field, "spec.nodeName", by which lists and watches are indexed. */
  readonly indexedField?: string;
  /** Values for field selectors besides name and namespace; absent if the kind has none. */
  selectableFields?(object: T): Readonly<Record<string, string>>;
  /** See ResourceDefinition. */
  readonly selectablePaths?: readonly (readonly string[])[];
  /** See StorageProviderOptions. */
  readonly known?: (() => ObjectSource | undefined) | undefined;
}

const OPEN_BRACE = 0x7b;
const QUOTE = 0x22;
const NO_LABELS: Labels = {};
/** Size from which a released object is found again, if an informer has it: small ones are decoded at little cost. */
const WORTH_FINDING = 4 * 1024;
/** Size from which a few members are found faster than all are decoded. */
const WORTH_EXCERPTING = 1024;
/** Size from which an object is decoded in several turns: below, steps would only cost. */
export const LARGE = 256 * 1024;

/** The end of `metadata` in an object that is not large fits beside this start: both are one small integer. */
const START_BITS = 12;
const MAX_START = 2 ** START_BITS - 1;

/** See `#metadataPlace`; 0 where it is not among the first members. */
function placeOfMetadata(kind: KindSchema | undefined, bytes: Buffer): number {
  const place = kind && metadataFinder(kind)(bytes);
  return place === undefined || place.start > MAX_START ? 0 : (place.end << START_BITS) | place.start;
}

/**
 * A stored object at one revision. It holds the wire bytes; everything else is computed on demand. The decoded object
 * and selectable fields are kept within the shared bound on decoded objects; labels are always kept.
 */
export class StoredEntry<T extends KubeObject> implements StoredObject<T>, RunMember {
  /** "name" or "namespace/name". */
  readonly key: string;
  readonly revision: number;
  /** Length of its wire bytes. */
  readonly byteLength: number;
  /** The memory of the wire bytes and their place in it: a view for each entry would take a hundred bytes. */
  #memory: Uint8Array;
  #offset = 0;
  /** The place of `metadata` in the wire bytes: its end and, in the low bits, its start. 0 until it is needed. */
  #metadataPlace = 0;
  /** For the cache (see ByteSlabs). */
  slot = -1;
  /** Bytes that it takes in the store; 0 if unknown. */
  storedBytes = 0;
  /** True if the bytes at rest should be rewritten: another storage version, or an old key (see Transformer). */
  readonly stale: boolean;
  /** See RunMember. */
  run: ObjectRun | undefined = undefined;
  readonly #kind: EntryKind<T>;
  #object: T | undefined;
  /** The released object, as long as somebody else has it. */
  #released: WeakRef<T> | undefined;
  /** The source of the bytes, until the object is needed. */
  #written: T | undefined;
  #labels: Labels | undefined;
  #fields: Fields | undefined;
  #loading: Promise<T> | undefined;
  /** It is the current state of its key in a cache. */
  #isCached = false;
  #forms: ObjectForms | undefined;

  constructor(kind: EntryKind<T>, key: string, revision: number, wire: { bytes: Uint8Array; stale: boolean }) {
    this.#kind = kind;
    this.key = key;
    this.revision = revision;
    this.#memory = wire.bytes;
    this.byteLength = wire.bytes.length;
    this.stale = wire.stale;
  }

  /** The memory of the wire bytes, perhaps with those of others. */
  get memory(): Uint8Array {
    return this.#memory;
  }

  /** The wire bytes. Their content never changes, but the cache may move them, so that a later view may differ. */
  get bytes(): Uint8Array {
    const memory = this.#memory;
    if (memory.length === this.byteLength) return memory;
    return memory.subarray(this.#offset, this.#offset + this.byteLength);
  }

  /** For the cache (see ByteSlabs): the wire bytes are there from now on. */
  moveTo(memory: Uint8Array, offset: number): void {
    this.#memory = memory;
    this.#offset = offset;
  }

  /** True if its decoded object takes too much memory and time for `keepWritten`. */
  get isLarge(): boolean {
    return this.byteLength >= LARGE;
  }

  get object(): T {
    this.#object ??= this.#released?.deref();
    const object = this.#object ?? this.#decode();
    // A bookmark has no key, and is read once.
    if (this.key !== '') this.#kind.decoded.used(this);
    return object;
  }

  /** See StoredObject: objects of a long list would only displace others, and survive collections until then. */
  readOnce(): T {
    if (this.#isDecoded || !this.#isKeeping) return this.object;
    return this.#ofWritten() ?? this.#read(false);
  }

  /** See StoredObject: large objects are decoded in turns. */
  readParts(): T {
    const { ownKind } = this.#kind;
    if (ownKind === undefined || this.isLarge || this.#isDecoded || !this.#isKeeping) return this.readOnce();
    const metadata = this.#placeOfMetadata();
    const parts = metadata && partsReader(ownKind)(asBuffer(this.bytes), metadata);
    return (parts as T | undefined) ?? this.readOnce();
  }

  get #isDecoded(): boolean {
    return this.#object !== undefined || this.#released?.deref() !== undefined;
  }

  /** See StoredObject: concurrent callers share the result. */
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

  get uid(): string {
    const object = this.#object;
    return object === undefined ? this.#scanUid() : (object.metadata.uid ?? '');
  }

  get labels(): Labels {
    this.#labels ??= this.#object?.metadata.labels ?? this.#scanLabels();
    return this.#labels;
  }

  /** Fields that the key determines. */
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

  /** All selectable fields. */
  get fields(): Fields {
    this.#fields ??= { ...(this.#excerptedFields() ?? this.#selectableFields()), ...this.metadataFields };
    return this.#fields;
  }

  /** The selectable fields of an object that is not decoded, where its other members do not matter. */
  #excerptedFields(): Fields | undefined {
    const { selectableFields, selectablePaths } = this.#kind;
    if (selectableFields === undefined || selectablePaths === undefined) return undefined;
    if (this.#object !== undefined || this.byteLength < WORTH_EXCERPTING) return undefined;
    const excerpt = jsonExcerpt<T>(asBuffer(this.bytes), selectablePaths);
    return excerpt && selectableFields(excerpt);
  }

  /** For a large object that is not decoded, they come from its outline, which costs a few passes over its bytes. */
  #selectableFields(): Fields | undefined {
    const { selectableFields, form } = this.#kind;
    if (selectableFields === undefined) return undefined;
    if (this.#object !== undefined || this.byteLength < LARGE) return selectableFields(this.object);
    const bytes = asBuffer(this.bytes);
    const named = Object.keys(selectableFields(form.decode(jsonOutline(bytes))));
    const names = [...new Set(named.flatMap((path) => path.split('.')))];
    return selectableFields(form.decode(jsonOutline(bytes, names)));
  }

  /** The value of the kind's indexed field; "" if it has none. Nothing is decoded for it. */
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
   * Keeps the source of the bytes, so that they need no decoding for the next update. Counts as a use. Not for a large
   * object: it takes many times its bytes of memory, and reading it again takes more than a few milliseconds.
   */
  keepWritten(written: T): void {
    if (this.#object !== undefined || this.isLarge) return;
    freezeJson(written);
    this.#written = written;
    this.#kind.decoded.used(this);
  }

  /**
   * Offers the source of the bytes while the change is delivered, or until a response is made: a receiver that needs
   * the object does not decode them. Nobody may change it any more.
   */
  offerWritten(written: T): void {
    if (this.#object === undefined && !this.isLarge) this.#written = written;
  }

  /** Ends the offer, so that nothing is kept for an object that no receiver needed. */
  withdrawWritten(): void {
    this.#written = undefined;
  }

  wire(form: WireForm): Uint8Array | undefined {
    const kept = this.#kind.form.wireForm;
    const same =
      form.contentType === kept.contentType &&
      form.version === kept.version &&
      form.kind === kept.kind &&
      form.group === kept.group;
    return same ? this.bytes : this.#forms?.bytes(form);
  }

  metadataJson(): Uint8Array | undefined {
    if (this.#kind.ownKind === undefined || this.isLarge) return undefined;
    const place = this.#placeOfMetadata();
    return place && this.#memory.subarray(this.#offset + place.start, this.#offset + place.end);
  }

  #placeOfMetadata(): TextPlace | undefined {
    if (this.#metadataPlace === 0) {
      this.#metadataPlace = placeOfMetadata(this.#kind.ownKind, asBuffer(this.bytes));
    }
    const place = this.#metadataPlace;
    return place === 0 ? undefined : { start: place & MAX_START, end: place >>> START_BITS };
  }

  keep(form: WireForm, bytes: Uint8Array): void {
    const { formMemory } = this.#kind;
    if (!this.#isKeeping || formMemory === undefined) return;
    this.#forms ??= new ObjectForms(formMemory);
    this.#forms.add(form, bytes);
  }

  /** See RunMember. */
  get isCached(): boolean {
    return this.#isCached;
  }

  /** Reports whether `keep` keeps bytes. */
  get #isKeeping(): boolean {
    return this.#isCached && this.#kind.formMemory !== undefined;
  }

  /** It is the current state of its key in a cache from now on. */
  enterCache(): void {
    if (this.#isCached) return;
    this.#isCached = true;
    this.#kind.formMemory?.bound.countCached(this.byteLength);
  }

  /** The end of that: nothing more is kept for it. */
  leaveCache(): void {
    if (!this.#isCached) return;
    this.#isCached = false;
    this.#forms?.clear();
    this.#forms = undefined;
    this.run?.clear();
    this.run = undefined;
    this.#kind.formMemory?.bound.countCached(-this.byteLength);
  }

  /**
   * The same state at another revision, as a deletion returns it. An available object is not decoded again. No cache
   * moves its bytes: in Buffer's pool, each deleted object whose decoded form is kept would retain 64 KiB.
   */
  atRevision(revision: number, object = this.#object): StoredEntry<T> {
    const bytes = detached(this.#kind.form.rewire(this.bytes, revision));
    const entry = new StoredEntry(this.#kind, this.key, revision, { bytes, stale: this.stale });
    if (object !== undefined) entry.#takeObject(object);
    return entry;
  }

  /** See DecodedObjects. Not for a large object: a weak reference keeps it to the end of the turn. */
  releaseObject(): void {
    const object = this.#object;
    const isWorth = object !== undefined && this.byteLength >= WORTH_FINDING && !this.isLarge;
    if (isWorth && this.#released?.deref() !== object) this.#released = new WeakRef(object);
    this.forgetObject();
  }

  /** Drops the decoded object and values derived from it; called by DecodedObjects. */
  forgetObject(): void {
    this.#object = undefined;
    this.#written = undefined;
    this.#fields = undefined;
  }

  /** Copies the object of another revision: only the version differs. */
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
    const written = this.#ofWritten();
    this.#written = undefined;
    const object = written ?? this.#read(true);
    freezeJson(object);
    this.#object = object;
    if (written === undefined) this.#detach();
    return object;
  }

  /**
   * Leaves memory that belongs to nobody: `DecodedObjects` may retain an entry that was read from the store, and with
   * a small one a whole piece of Buffer's pool. A cache moves the bytes of its entries itself.
   */
  #detach(): void {
    const isOfSlab = this.slot >= 0 || this.#memory.length !== this.byteLength;
    if (!isOfSlab && this.slot !== STAYS) this.#memory = detached(this.#memory);
  }

  /** The object as its source shows it; undefined if the bytes have to be decoded. */
  #ofWritten(): T | undefined {
    freezeJson(this.#written);
    return this.#written && this.#kind.form.decodeWritten?.(this.#written, this.revision);
  }

  /** Frozen only if it is shared. An object that is not kept here is not shared: that would keep it elsewhere. */
  #read(isKept: boolean): T {
    const { form, known, keyPrefix } = this.#kind;
    try {
      const isShared = isKept && this.key !== '';
      const shared = isShared ? known?.()?.decode(`${keyPrefix}/${this.key}`, this.bytes, form) : undefined;
      return shared ?? form.decode(this.bytes);
    } catch (cause) {
      throw newCorruptObjectError(this.#kind.prefix + this.key, cause);
    }
  }

  /** Reads only the UID, for the same reason as the labels. */
  #scanUid(): string {
    const bytes = asBuffer(this.bytes);
    const metadata = jsonMember(bytes, 0, 'metadata');
    const uid = metadata && jsonMember(bytes, metadata.valueStart, 'uid');
    return uid === undefined ? '' : JSON.parse(bytes.toString('utf8', uid.valueStart, uid.end));
  }

  /** Reads only the labels: a list by label must not decode all objects. */
  #scanLabels(): Labels {
    const bytes = asBuffer(this.bytes);
    const metadata = jsonMember(bytes, 0, 'metadata');
    const labels = metadata && jsonMember(bytes, metadata.valueStart, 'labels');
    if (labels === undefined) return NO_LABELS;
    return parseJsonValue(bytes.subarray(labels.valueStart, labels.end)) as Labels;
  }
}
