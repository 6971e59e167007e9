import {
  EMPTY_SET,
  type FieldSet,
  hasSignature,
  type OwnedUpdate,
  ownUpdate,
  ownUpdateInSteps,
  type ShapeSignature,
  shapeSignature,
  signatureText,
  type TypedValue,
  toFieldSet,
  toFieldSetInSteps,
  type VersionedSet,
} from '@apiserver/apimachinery/structured-merge-diff';
import type { ObjectVersions } from './object-versions.js';
import { stripMetadata } from './strip-metadata.js';

/** Maximum number of cached shapes, and of UTF-16 units of their signatures. Beyond it the cache is cleared. */
const MAX_SHAPES = 256;
const MAX_UNITS = 256 * 1024;
/** Number of recent shapes that are compared first. */
const MAX_RECENT = 4;

const CREATOR = 'creator';

interface Shaped<F> {
  readonly signature: ShapeSignature;
  readonly fields: F;
}

/**
 * A value computed from an object's shape: its differences from a base in fields, not in their values. Most objects of
 * a kind have one of few shapes, so the value is computed, and encoded as FieldsV1, once for each.
 */
class FieldsByShape<F> {
  readonly #base: () => unknown;
  readonly #workOut: (value: TypedValue) => F;
  /** Recent shapes are recognised by a walk over the object, without building a text; the likeliest first. */
  readonly #recent: Shaped<F>[] = [];
  #known = new Map<string, F>();
  #units = 0;

  constructor(base: () => unknown, workOut: (value: TypedValue) => F) {
    this.#base = base;
    this.#workOut = workOut;
  }

  of(value: TypedValue): F {
    const base = this.#base();
    for (let i = 0; i < this.#recent.length; i++) {
      const recent = this.#recent[i] as Shaped<F>;
      if (!hasSignature(recent.signature, value.type, base, value.value)) continue;
      this.#moveUp(i);
      return recent.fields;
    }
    const signature = shapeSignature(value.type, base, value.value);
    return signature === undefined ? this.#workOut(value) : this.#ofShape(signature, value);
  }

  #ofShape(signature: ShapeSignature, value: TypedValue): F {
    const text = signatureText(signature);
    let fields = this.#known.get(text);
    if (fields === undefined) {
      fields = this.#workOut(value);
      this.#remember(text, fields);
    }
    if (this.#recent.length === MAX_RECENT) this.#recent.pop();
    this.#recent.push({ signature, fields });
    return fields;
  }

  #moveUp(i: number): void {
    const before = this.#recent[i - 1];
    if (before === undefined) return;
    this.#recent[i - 1] = this.#recent[i] as Shaped<F>;
    this.#recent[i] = before;
  }

  /** Creates a new Map instead of evicting the oldest entry: entries of a long-lived Map cannot be collected young. */
  #remember(text: string, fields: F): void {
    if (this.#known.size >= MAX_SHAPES || this.#units + text.length > MAX_UNITS) {
      this.#known = new Map();
      this.#units = 0;
    }
    this.#known.set(text, fields);
    this.#units += text.length;
  }
}

/** The fields that an applier mentions. */
export interface AppliedFields {
  /** All mentioned fields, without reset fields. */
  readonly mentioned: FieldSet;
  /** The mentioned fields that can be managed. */
  readonly managed: FieldSet;
}

/**
 * The fields that the creator of an object owns, by its shape. A large object has a unique shape that is expensive to
 * compute.
 */
export class ShapedFields {
  readonly #versions: ObjectVersions;
  readonly #created: FieldsByShape<FieldSet>;
  readonly #applied: FieldsByShape<AppliedFields>;

  constructor(versions: ObjectVersions) {
    this.#versions = versions;
    this.#created = new FieldsByShape(
      () => versions.zero.value,
      (object) => createdFields(versions, object),
    );
    this.#applied = new FieldsByShape(
      () => undefined,
      (configuration) => appliedFields(mentionedFields(versions, configuration)),
    );
  }

  /** The fields of a new object. Throws MergeTypeError. */
  created(object: TypedValue): FieldSet {
    return this.#created.of(object);
  }

  /** The fields of a large new object, in steps. */
  *createdInSteps(object: TypedValue): Generator<void, FieldSet> {
    const managers = yield* ownUpdateInSteps(this.#versions, creation(this.#versions), object);
    yield;
    return createdBy(managers);
  }

  /** The fields of a valid configuration. */
  applied(configuration: TypedValue): AppliedFields {
    return this.#applied.of(configuration);
  }

  /** The fields of a large configuration, in steps. */
  *appliedInSteps(configuration: TypedValue): Generator<void, AppliedFields> {
    const { resetFields } = this.#versions;
    const all = yield* toFieldSetInSteps(configuration.type, configuration.value);
    const mentioned = all.recursiveDifference(resetFields);
    yield;
    return appliedFields(mentioned);
  }
}

function createdFields(versions: ObjectVersions, object: TypedValue): FieldSet {
  return createdBy(ownUpdate(versions, creation(versions), object));
}

function creation(versions: ObjectVersions): OwnedUpdate {
  return { live: versions.zero, managers: new Map(), manager: CREATOR };
}

function createdBy(managers: ReadonlyMap<string, VersionedSet>): FieldSet {
  return stripMetadata(managers.get(CREATOR)?.set ?? EMPTY_SET);
}

function mentionedFields({ resetFields }: ObjectVersions, { type, value }: TypedValue): FieldSet {
  return toFieldSet(type, value).recursiveDifference(resetFields);
}

function appliedFields(mentioned: FieldSet): AppliedFields {
  return { mentioned, managed: stripMetadata(mentioned) };
}
