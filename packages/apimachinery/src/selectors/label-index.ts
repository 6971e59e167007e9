import type { Labels } from '../types/labels.js';
import { parseInt64 } from '../values/int64.js';
import type { LabelOperator, LabelRequirement } from './label-requirement.js';

/** The requirements on one label together. */
interface LabelRule {
  /** The label must be there. */
  required: boolean;
  /** The label must not be there. */
  forbidden: boolean;
  /** The values that it may have; undefined for any. */
  allowed: ReadonlySet<string> | undefined;
  /** The values that it must not have; undefined for none. */
  excluded: Set<string> | undefined;
  /** The integers between which its value must be. */
  above: bigint | number | undefined;
  below: bigint | number | undefined;
}

/** Operators that only a present label meets. */
const NEEDS_LABEL: ReadonlySet<LabelOperator> = new Set<LabelOperator>(['in', '=', '==', 'gt', 'lt', 'exists']);

/**
 * Finds the requirements on a label, so that a selector of any length costs as much as an object has labels. They are
 * sorted by key; those on one label become a rule when the first object with that label is matched.
 */
export class LabelIndex {
  readonly #requirements: readonly LabelRequirement[];
  readonly #rules = new Map<string, LabelRule>();
  /** Number of labels that must be there. */
  readonly #required: number;

  /** `requirements` must be sorted by key. */
  constructor(requirements: readonly LabelRequirement[]) {
    this.#requirements = requirements;
    let required = 0;
    let last: string | undefined;
    for (const { key, operator } of requirements) {
      if (key === last || !NEEDS_LABEL.has(operator)) continue;
      last = key;
      required++;
    }
    this.#required = required;
  }

  /** Reports whether the labels meet all requirements. */
  matches(labels: Labels = {}): boolean {
    let met = 0;
    for (const key of Object.keys(labels)) {
      const value = labels[key];
      const rule = value === undefined ? undefined : this.#ruleOf(key);
      if (value === undefined || rule === undefined) continue;
      if (!allows(rule, value)) return false;
      if (rule.required) met++;
    }
    return met === this.#required;
  }

  #ruleOf(key: string): LabelRule | undefined {
    const known = this.#rules.get(key);
    if (known !== undefined) return known;
    let at = this.#firstOf(key);
    if (this.#requirements[at]?.key !== key) return undefined;
    const rule = newRule();
    for (let one = this.#requirements[at]; one?.key === key; one = this.#requirements[++at]) addTo(rule, one);
    this.#rules.set(key, rule);
    return rule;
  }

  /** The index of the first requirement whose key is not below. */
  #firstOf(key: string): number {
    let low = 0;
    let high = this.#requirements.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#requirements[middle]?.key ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function newRule(): LabelRule {
  return {
    required: false,
    forbidden: false,
    allowed: undefined,
    excluded: undefined,
    above: undefined,
    below: undefined,
  };
}

function addTo(rule: LabelRule, { operator, values }: LabelRequirement): void {
  switch (operator) {
    case '!':
      rule.forbidden = true;
      return;
    case 'notin':
    case '!=':
      rule.excluded ??= new Set();
      for (const value of values) rule.excluded.add(value);
      return;
    case 'exists':
      break;
    case 'gt':
    case 'lt':
      addBound(rule, operator, parseInt64(values[0] ?? ''));
      break;
    default: {
      const { allowed } = rule;
      rule.allowed = new Set(allowed === undefined ? values : values.filter((value) => allowed.has(value)));
    }
  }
  rule.required = true;
}

function addBound(rule: LabelRule, operator: 'gt' | 'lt', bound: bigint | number | undefined): void {
  if (bound === undefined) rule.allowed = new Set();
  else if (operator === 'gt') rule.above = rule.above === undefined || bound > rule.above ? bound : rule.above;
  else rule.below = rule.below === undefined || bound < rule.below ? bound : rule.below;
}

function allows({ forbidden, allowed, excluded, above, below }: LabelRule, value: string): boolean {
  if (forbidden || excluded?.has(value) || (allowed !== undefined && !allowed.has(value))) return false;
  if (above === undefined && below === undefined) return true;
  const number = parseInt64(value);
  if (number === undefined) return false;
  return (above === undefined || number > above) && (below === undefined || number < below);
}
