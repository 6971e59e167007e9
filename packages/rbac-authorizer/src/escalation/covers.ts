import type { PolicyRule } from '../policy-objects.js';
import { OwnerRule } from './owner-rule.js';

/** The granted permissions that no rule of the owners covers. */
export interface Uncovered {
  readonly missing: readonly RulePart[];
  /** Rules that were not broken down any more, because the check had reached a limit of `CoverageLimits`. */
  readonly unchecked: readonly PolicyRule[];
}

/** A rule for one operation: every non-empty list has one element. */
interface RulePart extends PolicyRule {
  readonly verbs: readonly [string];
}

/** Bounds of one check. Upstream has none: a rule of 30 KB stands for a billion permissions. */
export interface CoverageLimits {
  /** Look-ups in the rules of owners. */
  readonly lookups: number;
  /** Parts that are missing. */
  readonly missing: number;
}

const LIMITS: CoverageLimits = { lookups: 2_000_000, missing: 10_000 };

/** Look-ups between two steps. */
const STEP = 4_096;

type Owners = readonly OwnerRule[];

/**
 * Finds the parts of `granted` that no rule of `owners` covers. Each part has one verb and either one resource, with at
 * most one name, or one path. So a single owner rule covers it or not. The steps are those of `inSlices`.
 * Upstream: Covers in k8s.io/component-helpers/auth/rbac/validation/policy_comparator.go
 */
export function* findUncovered(
  owners: readonly PolicyRule[],
  granted: readonly PolicyRule[],
  limits: CoverageLimits = LIMITS,
): Generator<void, Uncovered> {
  return yield* new CoverageCheck(limits).run(owners, granted);
}

/** The same in one go. Rules that were not checked are among the result, as they are. */
export function uncoveredRules(
  owners: readonly PolicyRule[],
  granted: readonly PolicyRule[],
  limits: CoverageLimits = LIMITS,
): PolicyRule[] {
  const steps = findUncovered(owners, granted, limits);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return [...step.value.missing, ...step.value.unchecked];
  }
}

class CoverageCheck {
  readonly #limits: CoverageLimits;
  readonly #missing: RulePart[] = [];
  #lookups = 0;
  #nextStep = STEP;

  constructor(limits: CoverageLimits) {
    this.#limits = limits;
  }

  *run(owners: readonly PolicyRule[], granted: readonly PolicyRule[]): Generator<void, Uncovered> {
    const prepared: OwnerRule[] = [];
    for (const owner of owners) {
      prepared.push(new OwnerRule(owner));
      if (this.#spend(sizeOf(owner))) yield;
    }
    this.#lookups = 0;
    this.#nextStep = STEP;
    for (const [index, rule] of granted.entries()) {
      if (!(yield* this.#isCovered(prepared, rule))) {
        yield* this.#breakDown(prepared, rule);
        yield* this.#breakDownPaths(prepared, rule);
      }
      if (this.#isFull) return { missing: this.#missing, unchecked: granted.slice(index) };
    }
    return { missing: this.#missing, unchecked: [] };
  }

  get #isFull(): boolean {
    return this.#lookups > this.#limits.lookups || this.#missing.length >= this.#limits.missing;
  }

  /** Counts look-ups. Returns true when the caller must yield. */
  #spend(lookups: number): boolean {
    this.#lookups += lookups;
    if (this.#lookups < this.#nextStep) return false;
    this.#nextStep = this.#lookups + STEP;
    return true;
  }

  /** Reports whether one owner covers a whole rule. It is the usual case, and needs no parts. */
  *#isCovered(owners: Owners, rule: PolicyRule): Generator<void, boolean> {
    const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
    const names = resourceNames?.length ? resourceNames : [undefined];
    for (const owner of owners) {
      if (this.#isFull) return false;
      const covers =
        this.#every(verbs ?? [], (verb) => owner.coversVerb(verb)) &&
        this.#every(apiGroups ?? [], (group) => owner.coversGroup(group)) &&
        this.#every(resources ?? [], (resource) => owner.coversResource(resource)) &&
        this.#every(resources?.length ? names : [], (name) => owner.coversName(name)) &&
        this.#every(nonResourceURLs ?? [], (path) => owner.coversPath(path), owner.pathCount);
      if (covers) return true;
      if (this.#spend(0)) yield;
    }
    return false;
  }

  #every<T>(values: readonly T[], covers: (value: T) => boolean, cost = 1): boolean {
    for (const value of values) {
      this.#lookups += cost;
      if (this.#isFull || !covers(value)) return false;
    }
    return true;
  }

  /** In upstream's order: group, resource, verb, name. */
  *#breakDown(owners: Owners, rule: PolicyRule): Generator<void, void> {
    for (const group of rule.apiGroups ?? []) {
      if (this.#isFull) return;
      const ofGroup = owners.filter((owner) => owner.coversGroup(group));
      if (this.#spend(owners.length)) yield;
      for (const resource of rule.resources ?? []) {
        if (this.#isFull) return;
        const ofResource = ofGroup.filter((owner) => owner.coversResource(resource));
        if (this.#spend(ofGroup.length + 1)) yield;
        yield* this.#breakDownVerbs(ofResource, rule, { group, resource });
      }
    }
  }

  *#breakDownVerbs(owners: Owners, rule: PolicyRule, { group, resource }: GroupResource): Generator<void, void> {
    const names = rule.resourceNames?.length ? rule.resourceNames : [undefined];
    for (const verb of rule.verbs ?? []) {
      const ofVerb = owners.filter((owner) => owner.coversVerb(verb));
      if (this.#spend(owners.length)) yield;
      for (const name of names) {
        if (this.#isFull) return;
        if (!ofVerb.some((owner) => owner.coversName(name))) {
          this.#missing.push(resourcePart({ group, resource, verb, name }));
        }
        if (this.#spend(ofVerb.length + 1)) yield;
      }
    }
  }

  *#breakDownPaths(owners: Owners, { nonResourceURLs, verbs }: PolicyRule): Generator<void, void> {
    for (const path of nonResourceURLs ?? []) {
      if (this.#isFull) return;
      const ofPath = owners.filter((owner) => owner.coversPath(path));
      if (this.#spend(owners.reduce((sum, owner) => sum + owner.pathCount, 1))) yield;
      for (const verb of verbs ?? []) {
        if (this.#isFull) return;
        if (!ofPath.some((owner) => owner.coversVerb(verb))) {
          this.#missing.push({ verbs: [verb], nonResourceURLs: [path] });
        }
        if (this.#spend(ofPath.length + 1)) yield;
      }
    }
  }
}

interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

interface Tuple extends GroupResource {
  readonly verb: string;
  readonly name: string | undefined;
}

function resourcePart({ group, resource, verb, name }: Tuple): RulePart {
  const part = { verbs: [verb], apiGroups: [group], resources: [resource] } as const;
  return name === undefined ? part : { ...part, resourceNames: [name] };
}

function sizeOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number {
  const lists = [verbs, apiGroups, resources, resourceNames, nonResourceURLs];
  return lists.reduce((sum, list) => sum + (list?.length ?? 0), 1);
}
