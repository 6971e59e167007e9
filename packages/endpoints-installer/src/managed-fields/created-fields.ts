import { EMPTY_SET, type FieldSet, ownUpdate, shapeSignature, type TypedValue } from '@apiserver/apimachinery';
import type { ObjectVersions } from './object-versions.js';
import { stripMetadata } from './strip-metadata.js';

/** Different shapes that are kept; then it starts over. */
const MOST_SHAPES = 256;

const CREATOR = 'creator';

/**
 * The fields that belong to who creates an object. They depend on the object's shape alone, and most objects of a kind
 * have one of few shapes, so they are worked out, and written as FieldsV1, once for each.
 */
export class CreatedFields {
  readonly #versions: ObjectVersions;
  #sets = new Map<string, FieldSet>();

  constructor(versions: ObjectVersions) {
    this.#versions = versions;
  }

  /** Throws MergeTypeError. */
  of(object: TypedValue): FieldSet {
    const shape = shapeSignature(object.type, this.#versions.zero.value, object.value);
    const known = shape === undefined ? undefined : this.#sets.get(shape);
    if (known !== undefined) return known;
    const set = this.#workOut(object);
    if (shape !== undefined) this.#remember(shape, set);
    return set;
  }

  #workOut(object: TypedValue): FieldSet {
    const managers = ownUpdate(
      this.#versions,
      { live: this.#versions.zero, managers: new Map(), manager: CREATOR },
      object,
    );
    return stripMetadata(managers.get(CREATOR)?.set ?? EMPTY_SET);
  }

  /** A new Map rather than one that forgets its oldest: what passes through a Map for ever is not collected young. */
  #remember(shape: string, set: FieldSet): void {
    if (this.#sets.size >= MOST_SHAPES) this.#sets = new Map();
    this.#sets.set(shape, set);
  }
}
