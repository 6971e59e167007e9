import { equalJson } from '../../json/equal-json.js';
import { getOwn } from '../../json/set-own.js';
import type { MergeList, MergeMap, MergeType, ScalarKind } from '../field-set/merge-type.js';
import { itemElements } from './list-items.js';
import { scalarFault } from './validate-value.js';
import { asList, asMap, isEmptyMap, memberType, shapeKind } from './value-shape.js';

/** Maximum size of a signature that is worth caching, in UTF-16 units. */
const MAX_SIGNATURE_LENGTH = 8_192;

/**
 * Represents how a value differs from a base. Two values with the same signature have the same differences from the
 * same base, and no faults. Names and elements are strings, other observations of the walk numbers.
 */
export type ShapeSignature = readonly (string | number)[];

const SAME = 0;
const OTHER = 1;
const ADDED = 2;
const OPEN_MAP = 3;
const OPEN_LIST = 4;
const CLOSE = 5;

/**
 * The signature of `value`. Undefined where it would be costly: members that only the base has, nulls in the value,
 * values of a wrong type, duplicate items.
 */
export function shapeSignature(type: MergeType, base: unknown, value: unknown): ShapeSignature | undefined {
  const signature: (string | number)[] = [];
  let units = 0;
  const add = (mark: string | number): boolean => {
    signature.push(mark);
    units += typeof mark === 'string' ? mark.length : 1;
    return units <= MAX_SIGNATURE_LENGTH;
  };
  return new ShapeWalk(add).walk(type, base, value) ? signature : undefined;
}

/** Reports whether that is the signature of `value`, without allocating. */
export function hasSignature(signature: ShapeSignature, type: MergeType, base: unknown, value: unknown): boolean {
  let at = 0;
  const isNext = (mark: string | number): boolean => signature[at++] === mark;
  return new ShapeWalk(isNext).walk(type, base, value) && at === signature.length;
}

/** The unambiguous text of a signature: names and elements follow their length. */
export function signatureText(signature: ShapeSignature): string {
  return signature.map((mark) => (typeof mark === 'string' ? `${mark.length}:${mark}` : `#${mark}`)).join('');
}

/** Null is compared as an empty list or map, unless it is compared as a whole. */
function isPresent(base: unknown): boolean {
  return base !== undefined && base !== null;
}

/** Reports its observations until `tell` returns false. */
class ShapeWalk {
  readonly #tell: (mark: string | number) => boolean;

  constructor(tell: (mark: string | number) => boolean) {
    this.#tell = tell;
  }

  /** False if there is no signature, or `tell` has ended the walk. */
  walk(type: MergeType, base: unknown, value: unknown): boolean {
    if (base === value) return this.#tell(SAME);
    if (value === undefined || value === null) return false;
    const kind = shapeKind(type, value);
    if (base !== undefined && shapeKind(type, base) !== kind) return false;
    if (kind === 'map') return this.#walkMap(type.map as MergeMap, base, value);
    if (kind === 'list') return this.#walkList(type.list as MergeList, base, value);
    return this.#walkScalar(type.scalar as ScalarKind, base, value);
  }

  /** Compared as a whole. */
  #leaf(base: unknown, value: unknown): boolean {
    if (base === undefined) return this.#tell(ADDED);
    return this.#tell(equalJson(base, value) ? SAME : OTHER);
  }

  #walkScalar(kind: ScalarKind, base: unknown, value: unknown): boolean {
    if (scalarFault(kind, value) !== undefined || (base !== undefined && scalarFault(kind, base) !== undefined)) {
      return false;
    }
    return this.#leaf(base, value);
  }

  #walkMap(map: MergeMap, base: unknown, value: unknown): boolean {
    const before = asMap(base);
    const members = asMap(value);
    if (members === undefined || (isPresent(base) && before === undefined)) return false;
    if (map.atomic || (isEmptyMap(before) && isEmptyMap(members))) return this.#leaf(base, value);
    for (const name in before) if (!Object.hasOwn(members, name)) return false;
    if (!this.#tell(OPEN_MAP)) return false;
    for (const name in members) {
      const member = members[name];
      const type = memberType(map, name);
      if (type === undefined || !this.#tell(name)) return false;
      if (!this.walk(type, before && getOwn(before, name), member)) return false;
    }
    return this.#tell(CLOSE);
  }

  #walkList(list: MergeList, base: unknown, value: unknown): boolean {
    const before = asList(base);
    const items = asList(value);
    if (items === undefined || (isPresent(base) && before === undefined)) return false;
    const noneBefore = before === undefined || before.length === 0;
    if (list.atomic || (noneBefore && items.length === 0)) return this.#leaf(base, value);
    // Elements dominate the cost of the walk, so those of a list that is too long are not made.
    if (!noneBefore || items.length > MAX_SIGNATURE_LENGTH || !this.#tell(OPEN_LIST)) return false;
    const elements = itemElements(list, items, () => {});
    if (new Set(elements).size < elements.length) return false;
    for (const [i, element] of elements.entries()) {
      if (element === undefined || !this.#tell(element)) return false;
      if (!this.walk(list.element, undefined, items[i])) return false;
    }
    return this.#tell(CLOSE);
  }
}
