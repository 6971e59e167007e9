import { equalJson } from '../../json/equal-json.js';
import { getOwn } from '../../json/set-own.js';
import { hasUncanonicalList } from '../../json/uncanonical-lists.js';
import { type FieldSet, FieldSetBuilder } from '../field-set/field-set.js';
import type { MergeList, MergeMap, MergeType, ScalarKind } from '../field-set/merge-type.js';
import { fieldElement, type PathElement } from '../field-set/path-element.js';
import { itemElements, type ListItemError } from './list-items.js';
import { TypeFaults } from './type-errors.js';
import { scalarFault } from './validate-value.js';
import { asList, asMap, isEmptyMap, type Members, memberType, shapeKind } from './value-shape.js';

/** The differences between two values of a type; no path is in more than one of the sets. */
export interface Comparison {
  /** In the second only. */
  readonly added: FieldSet;
  /** In both, but different. */
  readonly modified: FieldSet;
  /** In the first only. */
  readonly removed: FieldSet;
}

/** The source of the second value. A configuration has empty lists that objects omit. */
export type ComparedWith = 'object' | 'configuration';

/**
 * Compares two values of a type. Throws MergeTypeError if their shape does not match the type.
 *
 * Upstream: TypedValue.Compare in sigs.k8s.io/structured-merge-diff/v6/typed/compare.go
 */
export function compareTyped(
  type: MergeType,
  first: unknown,
  second: unknown,
  source: ComparedWith = 'object',
): Comparison {
  const walk = new ComparingWalk(source);
  walk.compare(type, first, second);
  walk.faults.throwIfAny();
  return walk.comparison();
}

/** The same in steps of a few milliseconds, for values of very many members. The order of faults may differ. */
export function* compareTypedInSteps(
  type: MergeType,
  first: unknown,
  second: unknown,
  source: ComparedWith = 'object',
): Generator<void, Comparison> {
  const walk = new ComparingWalk(source, []);
  walk.compare(type, first, second);
  yield* walk.compareLater();
  walk.faults.throwIfAny();
  return walk.comparison();
}

/** Values that are compared between two pauses. */
const SLICE = 4_096;

/** A comparison without these fields and their descendants. */
export function excludeFields(comparison: Comparison, fields: FieldSet): Comparison {
  if (fields.empty) return comparison;
  const { added, modified, removed } = comparison;
  return {
    added: added.recursiveDifference(fields),
    modified: modified.recursiveDifference(fields),
    removed: removed.recursiveDifference(fields),
  };
}

/** The items of a list by element; more than one for duplicates. */
type ItemsByElement = Map<PathElement, unknown[]>;

function unlessEmpty(value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? undefined : value;
}

function memberCount(map: Members | undefined): number {
  return map === undefined ? 0 : Object.keys(map).length;
}

/** Absent members and items are undefined on their side; null is a value. */
class ComparingWalk {
  readonly faults: TypeFaults = new TypeFaults();
  readonly #added = new FieldSetBuilder();
  readonly #modified = new FieldSetBuilder();
  readonly #removed = new FieldSetBuilder();
  readonly #source: ComparedWith;
  /** Maps and lists to compare later, slice by slice; undefined if everything is compared at once. */
  readonly #later: Generator<void, void>[] | undefined;
  #path: PathElement[] = [];
  /** Values compared since the last pause. */
  #compared = 0;

  constructor(source: ComparedWith, later?: Generator<void, void>[]) {
    this.#source = source;
    this.#later = later;
  }

  /** Compares the deferred values, pausing after each slice. */
  *compareLater(): Generator<void, void> {
    for (let steps = this.#later?.pop(); steps !== undefined; steps = this.#later?.pop()) {
      yield;
      this.#compared = 0;
      yield* steps;
    }
  }

  comparison(): Comparison {
    return { added: this.#added.build(), modified: this.#modified.build(), removed: this.#removed.build() };
  }

  compare(type: MergeType, a: unknown, b: unknown): void {
    if (a === b) return;
    this.#compared++;
    const first = shapeKind(type, a);
    const second = shapeKind(type, b);
    const kind = b === undefined ? first : second;
    // A value whose shape changed is compared in both.
    if (a !== undefined && b !== undefined && first !== second) this.#compareAs(first, type, a, b);
    const isLeaf = this.#compareAs(kind, type, a, b);
    if (isLeaf) return;
    if (a === undefined) this.#added.insert(this.#path);
    else if (b === undefined) this.#removed.insert(this.#path);
  }

  /** Returns true if the values were compared as a whole. */
  #compareAs(kind: 'map' | 'scalar' | 'list', type: MergeType, a: unknown, b: unknown): boolean {
    switch (kind) {
      case 'map':
        return this.#compareMaps(type.map as MergeMap, a, b);
      case 'scalar':
        return this.#compareScalars(type.scalar as ScalarKind, a, b);
      default:
        return this.#compareLists(type.list as MergeList, a, b);
    }
  }

  #leaf(a: unknown, b: unknown): true {
    if (a === undefined) this.#added.insert(this.#path);
    else if (b === undefined) this.#removed.insert(this.#path);
    else if (!equalJson(a, b) || hasUncanonicalList(b)) this.#modified.insert(this.#path);
    return true;
  }

  #compareScalars(kind: ScalarKind, a: unknown, b: unknown): boolean {
    const left = scalarFault(kind, a);
    const right = scalarFault(kind, b);
    if (left === undefined || right === undefined) return this.#leaf(a, b);
    this.#fault(`lhs: ${left}`);
    this.#fault(`rhs: ${right}`);
    return false;
  }

  #compareMaps(map: MergeMap, a: unknown, b: unknown): boolean {
    const left = asMap(a);
    const right = asMap(b);
    if (map.atomic || (isEmptyMap(left) && isEmptyMap(right))) return this.#leaf(a, b);
    if (this.#later !== undefined && this.#isTooMuch(memberCount(left) + memberCount(right))) {
      this.#later.push(this.#mapSteps([...this.#path], map, left, right));
      return false;
    }
    for (const name in left) this.#compareMember(map, name, left[name], right && getOwn(right, name));
    for (const name in right) {
      // Read before any call: V8 else optimises this function without end, because it learns nothing of such a read.
      const member = right[name];
      if (left === undefined || !Object.hasOwn(left, name)) this.#compareMember(map, name, undefined, member);
    }
    return false;
  }

  /** Reports whether so many values must be deferred to a later step. */
  #isTooMuch(count: number): boolean {
    return this.#compared + count > SLICE;
  }

  /** Reports whether it is time for a pause, and restarts the count then. */
  #isPause(): boolean {
    if (++this.#compared < SLICE) return false;
    this.#compared = 0;
    return true;
  }

  *#mapSteps(path: PathElement[], map: MergeMap, left: Members = {}, right: Members = {}): Generator<void, void> {
    this.#path = path;
    for (const name of Object.keys(left)) {
      if (this.#isPause()) yield;
      this.#compareMember(map, name, left[name], getOwn(right, name));
    }
    for (const name of Object.keys(right)) {
      if (this.#isPause()) yield;
      if (!Object.hasOwn(left, name)) this.#compareMember(map, name, undefined, right[name]);
    }
  }

  #compareMember(map: MergeMap, name: string, a: unknown, b: unknown): void {
    if (a === b) return;
    const field = map.fields.get(name);
    this.#path.push(field?.element ?? fieldElement(name));
    const type = memberType(map, name);
    if (type === undefined) this.#fault('field not declared in schema');
    else if (field?.omitsEmpty) this.compare(type, unlessEmpty(a), this.#source === 'object' ? unlessEmpty(b) : b);
    else this.compare(type, a, b);
    this.#path.pop();
  }

  #compareLists(list: MergeList, a: unknown, b: unknown): boolean {
    const left = asList(a) ?? [];
    const right = asList(b) ?? [];
    if (list.atomic || (left.length === 0 && right.length === 0)) return this.#leaf(a, b);
    if (this.#later !== undefined && this.#isTooMuch(left.length + right.length)) {
      this.#later.push(this.#listSteps([...this.#path], list, left, right));
      return false;
    }
    const leftItems: ItemsByElement = new Map();
    const rightItems: ItemsByElement = new Map();
    this.#addItems(leftItems, list, left);
    this.#addItems(rightItems, list, right);
    for (const [element, items] of leftItems) this.#compareItems(list, element, items, rightItems.get(element) ?? []);
    for (const [element, items] of rightItems) {
      if (!leftItems.has(element)) this.#compareItems(list, element, [], items);
    }
    return false;
  }

  *#listSteps(
    path: PathElement[],
    list: MergeList,
    left: readonly unknown[],
    right: readonly unknown[],
  ): Generator<void, void> {
    this.#path = path;
    const leftItems = yield* this.#addItemsInSteps(list, left);
    const rightItems = yield* this.#addItemsInSteps(list, right);
    for (const [element, items] of leftItems) {
      if (this.#isPause()) yield;
      this.#compareItems(list, element, items, rightItems.get(element) ?? []);
    }
    for (const [element, items] of rightItems) {
      if (this.#isPause()) yield;
      if (!leftItems.has(element)) this.#compareItems(list, element, [], items);
    }
  }

  *#addItemsInSteps(list: MergeList, items: readonly unknown[]): Generator<void, ItemsByElement> {
    const byElement: ItemsByElement = new Map();
    for (let i = 0; i < items.length; i += SLICE) {
      this.#addItems(byElement, list, items.slice(i, i + SLICE), i);
      yield;
    }
    return byElement;
  }

  /** `start` is the index of the first of the items. */
  #addItems(byElement: ItemsByElement, list: MergeList, items: readonly unknown[], start = 0): void {
    const fail = (i: number, error: ListItemError) => this.#fault(`element ${start + i}: ${error.message}`);
    const elements = itemElements(list, items, fail);
    for (let i = 0; i < elements.length; i++) {
      const element = elements[i];
      if (element === undefined) continue;
      const same = byElement.get(element);
      if (same === undefined) byElement.set(element, [items[i]]);
      else same.push(items[i]);
    }
  }

  /** Duplicates are compared as one; if only one side has them, the single item is added or removed beside them. */
  #compareItems(list: MergeList, element: PathElement, a: readonly unknown[], b: readonly unknown[]): void {
    this.#path.push(element);
    if (a.length <= 1 && b.length <= 1) this.compare(list.element, a[0], b[0]);
    else if (a.length >= 2 && b.length >= 2) {
      if (!equalJson(a, b)) this.#modified.insert(this.#path);
    } else if (a.length >= 2) {
      if (b.length === 1) this.compare(list.element, undefined, b[0]);
      this.#removed.insert(this.#path);
    } else {
      if (a.length === 1) this.compare(list.element, a[0], undefined);
      this.#added.insert(this.#path);
    }
    this.#path.pop();
  }

  #fault(message: string): void {
    this.faults.add(this.#path, message);
  }
}
