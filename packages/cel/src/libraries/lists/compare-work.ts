import type { CallWork } from '../../values/implementation.js';
import { ListValue, type Value } from '../../values/value.js';
import { treeWork } from '../tree-cost.js';

/** Most values differ early. */
const SHARE = 1 / 8;

/**
 * The work of comparing each element of one list with each of the other, whose cost counts elements but not their size.
 */
export function compareWork(a: Value | undefined, b: Value | undefined): number {
  if (!(a instanceof ListValue && b instanceof ListValue)) return 0;
  return Math.floor(a.size * treeWork(b) * SHARE);
}

/** Work of reading an element of a list. */
const WORK_OF_ELEMENT = 3;

/** The work of functions that read all elements of their first argument. Their cost may be 1. */
export const LIST_WORK = ([list]: readonly Value[]): number =>
  list instanceof ListValue ? 20 + list.size * WORK_OF_ELEMENT : 20;

/** The work of functions that read all that the elements of their first argument hold. */
export const TREE_WORK: CallWork = ([list]) =>
  list instanceof ListValue ? 20 + list.size * WORK_OF_ELEMENT + treeWork(list) : 20;
