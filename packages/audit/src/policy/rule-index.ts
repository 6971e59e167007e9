import type { AuditAttributes } from './audit-attributes.js';
import type { PolicyRule } from './audit-policy.js';
import { PathPatterns } from './path-patterns.js';

/** With fewer rules, all are tried: that costs less than look-ups. */
const MAX_TRIED = 24;

/** One respect in which rules differ: the values that a rule names, and those that a request has. */
interface Dimension {
  /** Keys of a rule, one of which each matching request has; undefined if the rule matches others, too. */
  readonly ofRule: (rule: PolicyRule) => readonly string[] | undefined;
  /** Keys of a request. A key may come twice. */
  readonly ofRequest: (attributes: AuditAttributes) => Iterable<string>;
}

const NONE: readonly string[] = [];

const DIMENSIONS: readonly Dimension[] = [
  { ofRule: ({ users }) => named(users), ofRequest: ({ user }) => (user === undefined ? NONE : [user.name]) },
  { ofRule: ({ userGroups }) => named(userGroups), ofRequest: ({ user }) => user?.groups ?? NONE },
  { ofRule: ({ verbs }) => named(verbs), ofRequest: ({ verb }) => [verb] },
  {
    ofRule: ({ namespaces }) => named(namespaces),
    ofRequest: ({ isResourceRequest, namespace }) => (isResourceRequest ? [namespace] : NONE),
  },
  {
    ofRule: ({ resources = [] }) => resourceKeys(resources),
    ofRequest: (attributes) => (attributes.isResourceRequest ? requestedKeys(attributes) : NONE),
  },
];

/** The numbers of rules, in their order. */
type RuleNumbers = readonly number[];

/**
 * Finds the first rule that matches a request without a look at each of thousands. A rule is kept under its values in
 * one respect: that in which the fewest other rules share them.
 */
export class RuleIndex {
  readonly #matches: (rule: number, attributes: AuditAttributes) => boolean;
  readonly #everywhere: number[] = [];
  /** By dimension; those by which no rule is kept are missing. */
  readonly #tables = new Map<Dimension, Map<string, number[]>>();
  readonly #paths = new PathPatterns<number>();

  /** `matches` tells whether a request matches the rule of this number. */
  constructor(rules: readonly PolicyRule[], matches: (rule: number, attributes: AuditAttributes) => boolean) {
    this.#matches = matches;
    if (rules.length <= MAX_TRIED) this.#everywhere.push(...rules.keys());
    else this.#addAll(rules);
  }

  /** The number of the first rule that matches; undefined if none does. */
  first(attributes: AuditAttributes): number | undefined {
    let best = this.#firstOf(this.#everywhere, attributes, Number.POSITIVE_INFINITY);
    for (const [{ ofRequest }, table] of this.#tables) {
      for (const key of ofRequest(attributes)) best = this.#firstOf(table.get(key) ?? [], attributes, best);
    }
    if (!attributes.isResourceRequest) {
      for (const rules of this.#paths.matching(attributes.path)) best = this.#firstOf(rules, attributes, best);
    }
    return best === Number.POSITIVE_INFINITY ? undefined : best;
  }

  #firstOf(rules: RuleNumbers, attributes: AuditAttributes, before: number): number {
    for (const rule of rules) {
      if (rule >= before) return before;
      if (this.#matches(rule, attributes)) return rule;
    }
    return before;
  }

  #addAll(rules: readonly PolicyRule[]): void {
    const counts = DIMENSIONS.map(({ ofRule }) => countsOf(rules, ofRule));
    for (const [number, rule] of rules.entries()) {
      const { nonResourceURLs = [] } = rule;
      const chosen = leastShared(rule, counts);
      if (chosen === undefined && nonResourceURLs.length > 0) this.#paths.add(nonResourceURLs, number);
      else if (chosen === undefined) this.#everywhere.push(number);
      else this.#add(chosen, rule, number);
    }
  }

  #add(dimension: Dimension, rule: PolicyRule, number: number): void {
    const table = this.#tables.get(dimension) ?? new Map<string, number[]>();
    this.#tables.set(dimension, table);
    for (const key of new Set(dimension.ofRule(rule))) {
      const numbers = table.get(key);
      if (numbers === undefined) table.set(key, [number]);
      else numbers.push(number);
    }
  }
}

/** The number of rules with each key. */
function countsOf(rules: readonly PolicyRule[], ofRule: Dimension['ofRule']): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const rule of rules) for (const key of ofRule(rule) ?? []) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Undefined for a rule that matches in every respect, and for one whose paths tell more. */
function leastShared(rule: PolicyRule, counts: readonly ReadonlyMap<string, number>[]): Dimension | undefined {
  let chosen: Dimension | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, dimension] of DIMENSIONS.entries()) {
    const keys = dimension.ofRule(rule);
    if (keys === undefined) continue;
    const most = keys.reduce((shared, key) => Math.max(shared, counts[index]?.get(key) ?? 0), 0);
    if (most >= least) continue;
    least = most;
    chosen = dimension;
  }
  const hasPaths = (rule.nonResourceURLs ?? []).length > 0;
  return hasPaths && least > MAX_TRIED ? undefined : chosen;
}

function named(values: readonly string[] | undefined): readonly string[] | undefined {
  return values === undefined || values.length === 0 ? undefined : values;
}

function resourceKeys(resources: NonNullable<PolicyRule['resources']>): readonly string[] | undefined {
  if (resources.length === 0) return undefined;
  const keys: string[] = [];
  for (const { group = '', resources: patterns = [] } of resources) {
    const isEvery = patterns.length === 0 || patterns.includes('*');
    if (isEvery && group === '*') return undefined;
    if (isEvery) keys.push(`${group}/`);
    else keys.push(...patterns.map((pattern) => `${group}/${pattern}`));
  }
  return keys;
}

/** The keys of rules for the requested resource. */
function requestedKeys({ apiGroup, resource, subresource }: AuditAttributes): readonly string[] {
  const own = subresource === '' ? [resource] : [`${resource}/${subresource}`, `*/${subresource}`];
  const patterns = [...own, `${resource}/*`];
  return [`${apiGroup}/`, ...patterns.flatMap((pattern) => [`${apiGroup}/${pattern}`, `*/${pattern}`])];
}
