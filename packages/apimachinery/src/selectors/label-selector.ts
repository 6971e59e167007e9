import type { Labels } from '../types/labels.js';
import { LabelIndex } from './label-index.js';
import type { LabelRequirement } from './label-requirement.js';

/**
 * A predicate on labels: the conjunction of its requirements. Immutable.
 *
 * Upstream: k8s.io/apimachinery/pkg/labels/selector.go
 */
export interface LabelSelector {
  /** Sorted by key; empty for the selectors of everything and of nothing (see `nothing`). */
  readonly requirements: readonly LabelRequirement[];
  /** True if every object is selected. */
  readonly empty: boolean;
  /** True if no object is selected, whatever its labels: `nothingSelector`. */
  readonly nothing: boolean;
  /** `undefined` is an object without labels. */
  matches(labels: Labels | undefined): boolean;
  /** The one value the label must have, if the first requirement on it is an equality or `in` with one value. */
  requiresExactMatch(key: string): string | undefined;
  /** A selector with further requirements. */
  add(...requirements: readonly LabelRequirement[]): LabelSelector;
  /** The text form: requirements joined by commas, sorted by key. Empty for everything and for nothing. */
  toString(): string;
}

/** Requirements and values above which matching uses an index. */
const MAX_UNINDEXED = 32;

class RequirementsSelector implements LabelSelector {
  readonly requirements: readonly LabelRequirement[];
  readonly empty: boolean;
  readonly nothing = false;
  readonly #isLarge: boolean;
  #index: LabelIndex | undefined;

  constructor(requirements: readonly LabelRequirement[]) {
    this.requirements = requirements;
    this.empty = requirements.length === 0;
    this.#isLarge = isLarge(requirements);
  }

  matches(labels: Labels | undefined): boolean {
    if (this.#isLarge) {
      this.#index ??= new LabelIndex(this.requirements);
      return this.#index.matches(labels);
    }
    for (const requirement of this.requirements) {
      if (!requirement.matches(labels)) return false;
    }
    return true;
  }

  requiresExactMatch(key: string): string | undefined {
    return this.requirements.find((requirement) => requirement.key === key)?.exactValue;
  }

  add(...requirements: readonly LabelRequirement[]): LabelSelector {
    return selectorOf([...this.requirements, ...requirements]);
  }

  toString(): string {
    return this.requirements.join(',');
  }
}

function isLarge(requirements: readonly LabelRequirement[]): boolean {
  let size = requirements.length;
  for (let i = 0; size <= MAX_UNINDEXED && i < requirements.length; i++) size += requirements[i]?.values.length ?? 0;
  return size > MAX_UNINDEXED;
}

/** Selects every object. */
export const everythingSelector: LabelSelector = new RequirementsSelector([]);

/** Selects no object; adding requirements changes nothing. */
export const nothingSelector: LabelSelector = {
  requirements: [],
  empty: false,
  nothing: true,
  matches: () => false,
  requiresExactMatch: () => undefined,
  add: () => nothingSelector,
  toString: () => '',
};

/** The selector of all these requirements, sorted by key; everything, if there are none. */
export function selectorOf(requirements: readonly LabelRequirement[]): LabelSelector {
  if (requirements.length === 0) return everythingSelector;
  return new RequirementsSelector(requirements.toSorted(byKey));
}

function byKey(a: LabelRequirement, b: LabelRequirement): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}
