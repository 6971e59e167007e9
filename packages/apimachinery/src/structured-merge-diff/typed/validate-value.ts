import type { MergeList, MergeMap, MergeType, ScalarKind } from '../field-set/merge-type.js';
import { fieldElement, type PathElement } from '../field-set/path-element.js';
import { itemElement, ListItemError } from './list-items.js';
import { duplicateEntries, TypeFaults, unexpected } from './type-errors.js';
import { asList, asMap, memberType, shapeKind } from './value-shape.js';

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

/** The error of a value that is not a scalar of that kind; undefined if it is one, null or absent. */
export function scalarFault(kind: ScalarKind, value: unknown): string | undefined {
  if (value === null || value === undefined || isScalar(kind, value)) return undefined;
  return unexpected(kind, value);
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

class Validation {
  readonly faults: TypeFaults = new TypeFaults();
  readonly #allowDuplicates: boolean;
  readonly #path: PathElement[] = [];

  constructor(allowDuplicates: boolean) {
    this.#allowDuplicates = allowDuplicates;
  }

  check(type: MergeType, value: unknown): void {
    switch (shapeKind(type, value)) {
      case 'map':
        this.#checkMap(type.map as MergeMap, value);
        break;
      case 'scalar': {
        const fault = scalarFault(type.scalar as ScalarKind, value);
        if (fault !== undefined) this.#fault(fault);
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
      this.#fault(unexpected('map', value));
      return;
    }
    for (const name of Object.keys(members)) {
      const type = memberType(map, name);
      this.#path.push(fieldElement(name));
      if (type === undefined) this.#fault('field not declared in schema');
      else this.check(type, members[name]);
      this.#path.pop();
      // An undeclared field ends the check of the map, as upstream.
      if (type === undefined) return;
    }
  }

  #checkList(list: MergeList, value: unknown): void {
    if (value === null) return;
    const items = asList(value);
    if (items === undefined) {
      this.#fault(unexpected('list', value));
      return;
    }
    const seen = new Set<PathElement>();
    for (const [i, item] of items.entries()) {
      const element = list.atomic ? `i:${i}` : this.#itemElement(list, item, i);
      if (element === undefined) return;
      if (!list.atomic && !this.#allowDuplicates && seen.has(element)) this.#fault(duplicateEntries(element));
      seen.add(element);
      this.#path.push(element);
      this.check(list.element, item);
      this.#path.pop();
    }
  }

  #itemElement(list: MergeList, item: unknown, index: number): PathElement | undefined {
    try {
      return itemElement(list, item);
    } catch (error) {
      if (!(error instanceof ListItemError)) throw error;
      this.#fault(`element ${index}: ${error.message}`);
      return undefined;
    }
  }

  #fault(message: string): void {
    this.faults.add(this.#path, message);
  }
}
