import { isMembers } from '@apiserver/apimachinery/json';
import { compareValues } from './compare-values.js';
import { type Filter, type JsonPath, type Path, type Slice, type Step, TypedNumber } from './json-path.js';

/** The result of a step. A failed step may still have values: a filter checks whether there are any. */
interface Found {
  readonly values: readonly unknown[];
  readonly failed: boolean;
}

/** The values that paths may still read of one object. */
export interface PathBudget {
  values: number;
}

/**
 * A budget for the paths of one object. Upstream has none: four recursive steps over an object with 300 levels read
 * a billion values.
 */
export function newPathBudget(): PathBudget {
  return { values: 400_000 };
}

/**
 * The values at a path, in order; none if a step is missing or fails, or when the budget is spent.
 *
 * Upstream: FindResults of k8s.io/client-go/util/jsonpath/jsonpath.go, with AllowMissingKeys
 */
export function findJsonPath(root: unknown, actions: JsonPath, budget = newPathBudget()): readonly unknown[] {
  const search = new Search(budget);
  const found = actions.map((path) => search.follow([root], path));
  return found.some(({ failed }) => failed) ? [] : (found[0]?.values ?? []);
}

class Search {
  readonly #budget: PathBudget;

  constructor(budget: PathBudget) {
    this.#budget = budget;
  }

  follow(values: readonly unknown[], path: Path): Found {
    let found: Found = { values, failed: false };
    for (const step of path) {
      found = this.#take(found.values, step);
      if (found.failed) return found;
      if (this.#spend(1 + found.values.length)) return { values: [], failed: true };
    }
    return found;
  }

  /** Returns true when nothing is left. */
  #spend(values: number): boolean {
    this.#budget.values -= values;
    return this.#budget.values < 0;
  }

  #take(values: readonly unknown[], step: Step): Found {
    switch (step.type) {
      case 'field':
        return done(values.flatMap((value) => member(value, step.name)));
      case 'wildcard':
        return this.#collect(values, (value, found) => {
          if (typeof value === 'string' && this.#spend(value.length)) return;
          for (const child of childrenOf(value)) found.push(child);
        });
      case 'recursive':
        return this.#collect(values, (value, found) => this.#addDescendants(value, found));
      case 'constant':
        return done(constantFor(step.value, values));
      case 'slice':
        return slices(values, step.slice);
      case 'union':
        return this.#union(values, step.paths);
      case 'filter':
        return this.#filtered(values, step.filter);
      case 'identifier':
        return { values, failed: true };
    }
  }

  /** Stops when more was found than the budget has. `follow` then fails. */
  #collect(values: readonly unknown[], add: (value: unknown, found: unknown[]) => void): Found {
    const found: unknown[] = [];
    for (const value of values) {
      if (found.length > this.#budget.values) break;
      add(value, found);
    }
    return done(found);
  }

  /** All values with children, the value itself first. */
  #addDescendants(value: unknown, found: unknown[]): void {
    // The bytes of a string have no children.
    const children = typeof value === 'string' ? [] : childrenOf(value);
    if ((children.length === 0 && (typeof value !== 'string' || value === '')) || this.#spend(1)) return;
    found.push(value);
    for (const child of children) this.#addDescendants(child, found);
  }

  #union(values: readonly unknown[], paths: readonly Path[]): Found {
    const found = paths.map((path) => this.follow(values, path));
    return found.some(({ failed }) => failed) ? { values, failed: true } : done(found.flatMap((one) => one.values));
  }

  #filtered(values: readonly unknown[], filter: Filter): Found {
    const found: unknown[] = [];
    for (const value of values) {
      if (!Array.isArray(value)) return { values, failed: true };
      for (const item of value) {
        const passes = this.#passesFilter(item, filter);
        if (passes === undefined) return { values, failed: true };
        if (passes) found.push(item);
      }
    }
    return done(found);
  }

  /** Undefined if the values are not comparable. */
  #passesFilter(item: unknown, { left, operator, right }: Filter): boolean | undefined {
    const lefts = this.follow([item], left);
    if (operator === 'exists') return lefts.values.length > 0;
    if (lefts.failed || lefts.values.length > 1) return undefined;
    if (lefts.values.length === 0) return false;
    const rights = this.follow([item], right);
    if (rights.failed || rights.values.length > 1) return undefined;
    return rights.values.length > 0 && compareValues(operator, lefts.values[0], rights.values[0]);
  }
}

const done = (values: readonly unknown[]): Found => ({ values, failed: false });

function member(value: unknown, name: string): readonly unknown[] {
  if (value instanceof TypedNumber || !isMembers(value) || !Object.hasOwn(value, name)) return [];
  return [value[name]];
}

/** The elements of a string are its bytes. */
function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return [...Buffer.from(value, 'utf8')].map((byte) => new TypedNumber('uint', byte));
  return isMembers(value) && !(value instanceof TypedNumber) ? Object.values(value) : [];
}

/** A string constant occurs once; any other constant once per value. */
function constantFor(value: unknown, values: readonly unknown[]): readonly unknown[] {
  return typeof value === 'string' ? [value] : values.map(() => value);
}

function slices(values: readonly unknown[], slice: Slice): Found {
  const found: unknown[] = [];
  for (const value of values) {
    if (value === null || value === undefined) continue;
    const items: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
    const range = items && rangeOf(items.length, slice);
    if (items === undefined || range === undefined) return { values, failed: true };
    if (range.from === range.to) return done(found);
    for (let i = range.from; i < range.to; i += range.step) found.push(items[i]);
  }
  return done(found);
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** Undefined for a range outside the list. An empty one may be anywhere. */
function rangeOf(length: number, { start = 0, end, step = 1, single }: Slice): Range | undefined {
  const from = start < 0 ? start + length : start;
  const to = single ? start + 1 : (end ?? length);
  // The index -1 ends at 0, which counts from the end too.
  const isFromEnd = to < 0 || (single && to === 0);
  const until = isFromEnd ? to + length : to;
  if (from === until) return { from, to: until, step };
  const fits = from >= 0 && from < length && until >= 0 && until <= length && from <= until && step > 0;
  return fits ? { from, to: until, step } : undefined;
}
