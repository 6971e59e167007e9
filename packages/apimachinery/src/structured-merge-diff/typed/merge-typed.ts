import { LaterMembers } from '../../json/later-members.js';
import { getOwn, setOwn } from '../../json/set-own.js';
import type { MergeList, MergeMap, MergeType, ScalarKind } from '../field-set/merge-type.js';
import { fieldElement, type PathElement } from '../field-set/path-element.js';
import { itemElements } from './list-items.js';
import { type MergedOrder, mergedOrder, mergedOrderInSteps } from './merged-order.js';
import { duplicateEntries, TypeFaults } from './type-errors.js';
import { scalarFault } from './validate-value.js';
import { asList, asMap, isEmptyMap, isScalarMap, type Members, shapeKind } from './value-shape.js';

/**
 * Merges an applied value into a live one: nothing is removed, and an applied leaf wins. Items of a list keep the live
 * order unless the applied list orders them otherwise. Neither argument is changed; the result shares parts of both.
 * Throws MergeTypeError.
 *
 * Upstream: TypedValue.Merge in sigs.k8s.io/structured-merge-diff/v6/typed/merge.go
 */
export function mergeTyped(type: MergeType, live: unknown, applied: unknown): unknown {
  const walk = new MergingWalk();
  const merged = walk.merge(type, live, applied);
  walk.faults.throwIfAny();
  return merged;
}

/** The same in steps, for large values. The order of faults may differ. */
export function* mergeTypedInSteps(type: MergeType, live: unknown, applied: unknown): Generator<void, unknown> {
  const later = new LaterMembers();
  const walk = new MergingWalk(later);
  const merged = walk.merge(type, live, applied);
  yield* later.run();
  walk.faults.throwIfAny();
  return merged;
}

/** Absent members and items are undefined on their side; null is a value. */
class MergingWalk {
  readonly faults: TypeFaults = new TypeFaults();
  /** Takes the members of large maps; undefined if everything is merged at once. */
  readonly #later: LaterMembers | undefined;
  #path: PathElement[] = [];

  constructor(later?: LaterMembers) {
    this.#later = later;
  }

  merge(type: MergeType, live: unknown, applied: unknown): unknown {
    if (live === applied) return live;
    switch (shapeKind(type, applied === undefined ? live : applied)) {
      case 'map':
        return this.#mergeMaps(type.map as MergeMap, live, applied);
      case 'scalar':
        return this.#mergeScalars(type.scalar as ScalarKind, live, applied);
      default:
        return this.#mergeLists(type.list as MergeList, live, applied);
    }
  }

  #mergeScalars(kind: ScalarKind, live: unknown, applied: unknown): unknown {
    const left = scalarFault(kind, live);
    const right = scalarFault(kind, applied);
    if (left === undefined || right === undefined) return applied === undefined ? live : applied;
    this.#fault(`lhs: ${left}`);
    this.#fault(`rhs: ${right}`);
    return undefined;
  }

  #mergeMaps(map: MergeMap, live: unknown, applied: unknown): unknown {
    const left = asMap(live);
    const right = asMap(applied);
    if (map.atomic || (isEmptyMap(left) && isEmptyMap(right))) return applied === undefined ? live : applied;
    if (right === undefined && left !== undefined) return this.#takeLive(map, left);
    const later = this.#later && this.#mergeLater(map, left, right);
    if (later !== undefined) return later;
    const out: { [key: string]: unknown } = {};
    let isEmpty = true;
    for (const name in left) {
      const pair = { name, live: left[name], applied: right && getOwn(right, name) };
      if (this.#mergeMember(map, out, pair)) isEmpty = false;
    }
    for (const name in right) {
      const member = right[name];
      if (left !== undefined && Object.hasOwn(left, name)) continue;
      if (this.#mergeMember(map, out, { name, live: undefined, applied: member })) isEmpty = false;
    }
    return isEmpty ? undefined : out;
  }

  /** A large map whose members are scalars, merged later: they are never dropped. Undefined for others. */
  #mergeLater(map: MergeMap, left: Members | undefined, right: Members | undefined): unknown {
    if (!isScalarMap(map)) return undefined;
    // An applied scalar always wins over none.
    if (left === undefined) return right;
    const more = Object.keys(right ?? {});
    const keys = [...Object.keys(left), ...more.filter((name) => !Object.hasOwn(left, name))];
    const path = [...this.#path];
    return this.#later?.putIn(keys, (name) => {
      this.#path = path;
      return this.#merged(map, { name, live: getOwn(left, name), applied: right && getOwn(right, name) });
    });
  }

  /** Members that are not applied stay, unless they are empty; usually all stay, and nothing is copied. */
  #takeLive(map: MergeMap, live: Members): unknown {
    let out: { [key: string]: unknown } | undefined;
    for (const name in live) {
      const before = live[name];
      const member = this.#merged(map, { name, live: before, applied: undefined });
      if (out === undefined && member === before && member !== undefined) continue;
      out ??= membersBefore(live, name);
      if (member !== undefined) setOwn(out, name, member);
    }
    if (out === undefined) return live;
    return isEmptyMap(out) ? undefined : out;
  }

  /** Returns whether the result has the member. */
  #mergeMember(map: MergeMap, out: { [key: string]: unknown }, pair: MemberPair): boolean {
    const merged = this.#merged(map, pair);
    if (merged === undefined) return false;
    setOwn(out, pair.name, merged);
    return true;
  }

  #merged(map: MergeMap, { name, live, applied }: MemberPair): unknown {
    const field = map.fields.get(name);
    const type = field?.type ?? map.element;
    // Equal values have no faults below.
    if (live === applied && type !== undefined) return live;
    this.#path.push(field?.element ?? fieldElement(name));
    let merged: unknown;
    if (type === undefined) this.#fault('field not declared in schema');
    else merged = this.merge(type, live, applied);
    this.#path.pop();
    return merged;
  }

  #mergeLists(list: MergeList, live: unknown, applied: unknown): unknown {
    const left = asList(live) ?? [];
    const right = asList(applied) ?? [];
    if (list.atomic || (left.length === 0 && right.length === 0)) return applied === undefined ? live : applied;
    if (this.#later !== undefined && left.length + right.length > SLICE) {
      const out: unknown[] = [];
      this.#later.add(this.#itemSteps([...this.#path], { list, left, right, out }));
      return out;
    }
    const before = this.faults.count;
    const rightItems = this.#index(list, right, false);
    const leftItems = this.#index(list, left, true);
    if (this.faults.count > before) return undefined;
    const out: unknown[] = [];
    const order = mergedOrder(leftItems.order, rightItems.order);
    this.#mergeItems({ list, left, leftItems, rightItems, order, out }, 0, order.elements.length);
    return out.length === 0 ? undefined : out;
  }

  /** A large list, merged later: some of its items stay. */
  *#itemSteps(path: PathElement[], { list, left, right, out }: ListPair): Generator<void, void> {
    const before = this.faults.count;
    this.#path = path;
    const rightItems = yield* this.#indexInSteps(list, right, false);
    const leftItems = yield* this.#indexInSteps(list, left, true);
    if (this.faults.count > before) return;
    const order = yield* mergedOrderInSteps(leftItems.order, rightItems.order);
    const items = { list, left, leftItems, rightItems, order, out };
    for (let start = 0; start < order.elements.length; start += SLICE) {
      yield;
      this.#path = path;
      this.#mergeItems(items, start, start + SLICE);
    }
  }

  /** Merges the items of these places; the last may be beyond the end. */
  #mergeItems({ list, left, leftItems, rightItems, order, out }: IndexedLists, start: number, end: number): void {
    for (let i = start; i < end; i++) {
      const element = order.elements[i];
      if (element === undefined) return;
      const at = order.live[i];
      const item = at === undefined ? leftItems.byElement.get(element) : left[at];
      this.#path.push(element);
      const merged = this.merge(list.element, item, rightItems.byElement.get(element));
      this.#path.pop();
      if (merged !== undefined) out.push(merged);
    }
  }

  #index(list: MergeList, items: readonly unknown[], allowDuplicates: boolean): IndexedItems {
    const index = newIndex(allowDuplicates);
    if (items.length > 0) this.#addItems(index, list, items, 0);
    return index;
  }

  *#indexInSteps(list: MergeList, items: readonly unknown[], allowDuplicates: boolean): Generator<void, IndexedItems> {
    const index = newIndex(allowDuplicates);
    const path = this.#path;
    for (let start = 0; start < items.length; start += SLICE) {
      if (start > 0) yield;
      this.#path = path;
      this.#addItems(index, list, items.slice(start, start + SLICE), start);
    }
    return index;
  }

  /** Adds a slice of a list, which starts at this index. */
  #addItems(
    { order, byElement, allowDuplicates }: ItemIndex,
    list: MergeList,
    items: readonly unknown[],
    start: number,
  ): void {
    const elements = itemElements(list, items, (i, error) => this.#fault(`element ${start + i}: ${error.message}`));
    for (let i = 0; i < elements.length; i++) {
      const element = elements[i];
      if (element === undefined) continue;
      const isDuplicate = byElement.has(element);
      if (isDuplicate && !allowDuplicates) {
        this.#fault(duplicateEntries(element));
        continue;
      }
      // An applied item does not merge with one of several candidates.
      byElement.set(element, isDuplicate ? null : items[i]);
      order.push(element);
    }
  }

  #fault(message: string): void {
    this.faults.add(this.#path, message);
  }
}

/** A member of two maps. */
interface MemberPair {
  readonly name: string;
  readonly live: unknown;
  readonly applied: unknown;
}

function membersBefore(members: Members, end: string): { [key: string]: unknown } {
  const before: { [key: string]: unknown } = {};
  for (const name in members) {
    if (name === end) break;
    setOwn(before, name, members[name]);
  }
  return before;
}

/** The live and the applied items of a list, and the merged ones. */
interface ListPair {
  readonly list: MergeList;
  readonly left: readonly unknown[];
  readonly right: readonly unknown[];
  readonly out: unknown[];
}

interface IndexedLists {
  readonly list: MergeList;
  readonly left: readonly unknown[];
  readonly leftItems: IndexedItems;
  readonly rightItems: IndexedItems;
  readonly order: MergedOrder;
  readonly out: unknown[];
}

/** Items that are merged between two pauses. */
const SLICE = 4_096;

interface IndexedItems {
  /** One for each item, including duplicates. */
  readonly order: readonly PathElement[];
  readonly byElement: ReadonlyMap<PathElement, unknown>;
}

/** An index of items under way. */
interface ItemIndex extends IndexedItems {
  readonly order: PathElement[];
  readonly byElement: Map<PathElement, unknown>;
  readonly allowDuplicates: boolean;
}

function newIndex(allowDuplicates: boolean): ItemIndex {
  return { order: [], byElement: new Map(), allowDuplicates };
}
