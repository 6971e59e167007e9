import { equalJson } from '../json/equal-json.js';
import { getOwn } from '../json/set-own.js';
import { itemElements } from './list-items.js';
import type { MergeList, MergeMap, MergeType, ScalarKind } from './merge-type.js';
import { scalarFault } from './validate-value.js';
import { asList, asMap, isEmptyMap, memberType, shapeKind } from './value-shape.js';

/** Longer signatures are not worth keeping. UTF-16 units. */
const LONGEST = 8_192;

/**
 * Text that stands for how `value` differs from `base`: two values with the same text differ from the same base in the
 * same field sets, and neither has anything that comparing would refuse. Undefined where that cannot be told cheaply:
 * members that the base alone has, nulls in the value, values that do not fit their type, items that are there twice.
 */
export function shapeSignature(type: MergeType, base: unknown, value: unknown): string | undefined {
  const writer = new SignatureWriter();
  return writer.write(type, base, value) ? writer.text : undefined;
}

/** Null is compared as a list or map without anything in it, where it is not compared as a whole. */
function isPresent(base: unknown): boolean {
  return base !== undefined && base !== null;
}

/** Names and elements stand behind their length, so that no text has two readings. */
class SignatureWriter {
  text = '';

  /** False when there is no signature. */
  write(type: MergeType, base: unknown, value: unknown): boolean {
    if (base === value) return this.#mark('=');
    if (value === undefined || value === null || this.text.length > LONGEST) return false;
    const kind = shapeKind(type, value);
    if (base !== undefined && shapeKind(type, base) !== kind) return false;
    if (kind === 'map') return this.#writeMap(type.map as MergeMap, base, value);
    if (kind === 'list') return this.#writeList(type.list as MergeList, base, value);
    return this.#writeScalar(type.scalar as ScalarKind, base, value);
  }

  #mark(mark: string): true {
    this.text += mark;
    return true;
  }

  #name(name: string): void {
    this.text += `${name.length}:${name}`;
  }

  /** Compared as a whole. */
  #leaf(base: unknown, value: unknown): true {
    if (base === undefined) return this.#mark('+');
    return this.#mark(equalJson(base, value) ? '=' : '~');
  }

  #writeScalar(kind: ScalarKind, base: unknown, value: unknown): boolean {
    if (scalarFault(kind, value) !== undefined || (base !== undefined && scalarFault(kind, base) !== undefined)) {
      return false;
    }
    return this.#leaf(base, value);
  }

  #writeMap(map: MergeMap, base: unknown, value: unknown): boolean {
    const before = asMap(base);
    const members = asMap(value);
    if (members === undefined || (isPresent(base) && before === undefined)) return false;
    if (map.atomic || (isEmptyMap(before) && isEmptyMap(members))) return this.#leaf(base, value);
    for (const name in before) if (!Object.hasOwn(members, name)) return false;
    this.text += '{';
    for (const name in members) {
      const type = memberType(map, name);
      if (type === undefined) return false;
      this.#name(name);
      if (!this.write(type, before && getOwn(before, name), members[name])) return false;
    }
    return this.#mark('}');
  }

  #writeList(list: MergeList, base: unknown, value: unknown): boolean {
    const before = asList(base);
    const items = asList(value);
    if (items === undefined || (isPresent(base) && before === undefined)) return false;
    const noneBefore = before === undefined || before.length === 0;
    if (list.atomic || (noneBefore && items.length === 0)) return this.#leaf(base, value);
    if (!noneBefore) return false;
    const elements = itemElements(list, items, () => {});
    if (new Set(elements).size < elements.length) return false;
    this.text += '[';
    for (const [i, element] of elements.entries()) {
      if (element === undefined) return false;
      this.#name(element);
      if (!this.write(list.element, undefined, items[i])) return false;
    }
    return this.#mark(']');
  }
}
