import { LaterMembers } from '../../json/later-members.js';
import type { MergeList, MergeMap, MergeType, ScalarKind } from '../field-set/merge-type.js';
import { fieldElement, type PathElement } from '../field-set/path-element.js';
import { itemElement, ListItemError } from './list-items.js';
import { duplicateEntries, TypeFaults, unexpected } from './type-errors.js';
import { asList, asMap, type Members, shapeKind } from './value-shape.js';

/** Violations that validation tolerates. */
export interface ValidationOptions {
  /** True if two items of a set or keyed list may be equal. */
  readonly allowDuplicates: boolean;
}

/**
 * Validates a value against a type: shapes, declared fields, keys of list items. Throws MergeTypeError.
 *
 * Upstream: TypedValue.Validate in sigs.k8s.io/structured-merge-diff/v6/typed/validate.go
 */
export function validateValue(type: MergeType, value: unknown, options: ValidationOptions): void {
  const validation = new Validation(options.allowDuplicates);
  validation.check(type, value);
  validation.faults.throwIfAny();
}

/** The same in steps, for large values. The order of faults may differ. */
export function* validateValueInSteps(
  type: MergeType,
  value: unknown,
  options: ValidationOptions,
): Generator<void, void> {
  const later = new LaterMembers();
  const validation = new Validation(options.allowDuplicates, later);
  validation.check(type, value);
  yield* later.run();
  validation.faults.throwIfAny();
}

/** Values that are checked between two pauses. */
const SLICE = 4_096;

/** The error of a value that is not a scalar of that kind; undefined if it is one, null or absent. */
export function scalarFault(kind: ScalarKind, value: unknown): string | undefined {
  if (value === null || value === undefined || isScalar(kind, value)) return undefined;
  return unexpected(kind, value);
}

function isPrimitive(value: unknown): boolean {
  return typeof value !== 'object' && value !== undefined;
}

function isScalar(kind: ScalarKind, value: unknown): boolean {
  switch (kind) {
    case 'numeric':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    default:
      return typeof value !== 'object';
  }
}

/** Some items of a list. */
interface ItemSlice {
  readonly items: readonly unknown[];
  /** Index of the first one. */
  readonly start: number;
  /** Elements of the items so far. */
  readonly seen: Set<PathElement>;
}

/** Faults of a value and its members. */
export class Validation {
  readonly faults: TypeFaults = new TypeFaults();
  readonly #allowDuplicates: boolean;
  readonly #later: LaterMembers | undefined;
  #path: PathElement[] = [];

  constructor(allowDuplicates: boolean, later?: LaterMembers) {
    this.#later = later;
    this.#allowDuplicates = allowDuplicates;
  }

  check(type: MergeType, value: unknown): void {
    switch (shapeKind(type, value)) {
      case 'map':
        this.#checkMap(type.map as MergeMap, value);
        break;
      case 'scalar': {
        const fault = scalarFault(type.scalar as ScalarKind, value);
        if (fault !== undefined) this.fault(fault);
        break;
      }
      default:
        this.#checkList(type.list as MergeList, value);
    }
  }

  #checkMap(map: MergeMap, value: unknown): void {
    if (value === null) return;
    const members = asMap(value);
    if (members === undefined) {
      this.fault(unexpected('map', value));
      return;
    }
    const names = Object.keys(members);
    if (this.#later !== undefined && names.length > SLICE) {
      this.#later.add(this.#memberSteps([...this.#path], map, members));
      return;
    }
    // An undeclared field ends the check of the map, as upstream.
    for (const name of names) if (!this.#checkMember(map, name, members[name])) return;
  }

  *#memberSteps(path: PathElement[], map: MergeMap, members: Members): Generator<void, void> {
    for (const [i, name] of Object.keys(members).entries()) {
      if (i % SLICE === 0) yield;
      this.#path = path;
      if (!this.#checkMember(map, name, members[name])) return;
    }
  }

  /** Returns false for an undeclared field. Most members are right scalars, which need no path. */
  #checkMember(map: MergeMap, name: string, member: unknown): boolean {
    const field = map.fields.get(name);
    const type = field?.type ?? map.element;
    if (type?.scalar !== undefined && isPrimitive(member) && isScalar(type.scalar, member)) return true;
    this.#path.push(field?.element ?? fieldElement(name));
    if (type === undefined) this.fault('field not declared in schema');
    else this.check(type, member);
    this.#path.pop();
    return type !== undefined;
  }

  #checkList(list: MergeList, value: unknown): void {
    if (value === null) return;
    const items = asList(value);
    if (items === undefined) {
      this.fault(unexpected('list', value));
      return;
    }
    if (this.#later !== undefined && items.length > SLICE)
      this.#later.add(this.#itemSteps([...this.#path], list, items));
    else this.#checkItems(list, { items, start: 0, seen: new Set() });
  }

  *#itemSteps(path: PathElement[], list: MergeList, items: readonly unknown[]): Generator<void, void> {
    const seen = new Set<PathElement>();
    for (let start = 0; start < items.length; start += SLICE) {
      yield;
      this.#path = path;
      if (!this.#checkItems(list, { items: items.slice(start, start + SLICE), start, seen })) return;
    }
  }

  /** Returns false if an item without an element ends the check of the list. */
  #checkItems(list: MergeList, { items, start, seen }: ItemSlice): boolean {
    const isUnique = !list.atomic && !this.#allowDuplicates;
    for (let i = 0; i < items.length; i++) {
      const item = items[i];
      const index = start + i;
      const element = list.atomic ? `i:${index}` : this.itemElement(list, item, index);
      if (element === undefined) return false;
      if (isUnique && seen.has(element)) this.faults.add(this.#path, () => duplicateEntries(element));
      if (isUnique) seen.add(element);
      this.#path.push(element);
      this.check(list.element, item);
      this.#path.pop();
    }
    return true;
  }

  protected itemElement(list: MergeList, item: unknown, index: number): PathElement | undefined {
    try {
      return itemElement(list, item);
    } catch (error) {
      if (!(error instanceof ListItemError)) throw error;
      this.fault(`element ${index}: ${error.message}`);
      return undefined;
    }
  }

  protected fault(message: string): void {
    this.faults.add(this.#path, message);
  }
}
