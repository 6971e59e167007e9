import { quote } from '../../text/quote.js';
import type { MergeList } from '../field-set/merge-type.js';
import { keyElement, type PathElement, valueElement } from '../field-set/path-element.js';
import { asMap } from './value-shape.js';

/** Thrown for a list item without a path element. */
export class ListItemError extends Error {}

/**
 * The element of an item in a list that is not atomic: by its keys, or by its value. Throws ListItemError.
 *
 * Upstream: listItemToPathElement in sigs.k8s.io/structured-merge-diff/v6/typed/helpers.go
 */
export function itemElement(list: MergeList, item: unknown): PathElement {
  return list.keys.length > 0 ? keyedItemElement(list, item) : setItemElement(item);
}

/** The elements of a list's items. `onError` receives the error of an item, which then has no element. */
export function itemElements(
  list: MergeList,
  items: readonly unknown[],
  onError: (index: number, error: ListItemError) => void,
): (PathElement | undefined)[] {
  return items.map((item, i) => {
    try {
      return itemElement(list, item);
    } catch (error) {
      if (!(error instanceof ListItemError)) throw error;
      onError(i, error);
      return undefined;
    }
  });
}

function keyedItemElement(list: MergeList, item: unknown): PathElement {
  if (item === null) throw new ListItemError('associative list with keys may not have a null element');
  const members = asMap(item);
  if (members === undefined) throw new ListItemError('associative list with keys may not have non-map elements');
  const names: string[] = [];
  const values: unknown[] = [];
  for (const name of list.sortedKeys) {
    const value = Object.hasOwn(members, name) ? members[name] : keyDefault(list, name);
    if (value === undefined) continue;
    names.push(name);
    values.push(value);
  }
  if (names.length > 0) return keyElement(names, values);
  const keys = `[${list.keys.map(quote).join(' ')}]`;
  throw new ListItemError(
    `associative list with keys has an element that omits all key fields ${keys} (and doesn't have default values for any key fields)`,
  );
}

/** Undefined if the item is named by its other keys. */
function keyDefault(list: MergeList, name: string): unknown {
  const { map } = list.element;
  if (map === undefined) {
    throw new ListItemError(`couldn't find default value for ${name}: associative list may not have non-map types`);
  }
  return map.fields.get(name)?.default ?? undefined;
}

function setItemElement(item: unknown): PathElement {
  if (item === null) throw new ListItemError("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new ListItemError('not supported: associative list with lists as elements');
  if (typeof item === 'object') {
    throw new ListItemError("associative list without keys has an element that's a map type");
  }
  return valueElement(item);
}
