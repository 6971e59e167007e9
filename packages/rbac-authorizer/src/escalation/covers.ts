import type { PolicyRule } from '../policy-objects.js';
import { pathMatches } from '../rule-allows.js';

/**
 * The parts of `granted` that no rule of `owners` covers; empty if the owner has every granted permission.
 * Each part has one verb and either one resource, with at most one name, or one path. So a single owner rule covers
 * it or not.
 * Upstream: Covers in k8s.io/component-helpers/auth/rbac/validation/policy_comparator.go
 */
export function uncoveredRules(owners: readonly PolicyRule[], granted: readonly PolicyRule[]): PolicyRule[] {
  return granted.flatMap(breakDownRule).filter((part) => !owners.some((owner) => coversPart(owner, part)));
}

/** Splits a rule into parts, ordered by group, resource, verb and name, then by path and verb. */
export function breakDownRule(rule: PolicyRule): RulePart[] {
  const verbs = rule.verbs ?? [];
  const names: readonly (string | undefined)[] = rule.resourceNames?.length ? rule.resourceNames : [undefined];
  const parts: RulePart[] = [];
  for (const group of rule.apiGroups ?? []) {
    for (const resource of rule.resources ?? []) {
      for (const verb of verbs) {
        for (const name of names) parts.push(resourcePart({ group, resource, verb, name }));
      }
    }
  }
  for (const url of rule.nonResourceURLs ?? []) {
    for (const verb of verbs) parts.push({ verbs: [verb], nonResourceURLs: [url] });
  }
  return parts;
}

/** A rule for one operation: every non-empty list has one element. */
export interface RulePart extends PolicyRule {
  readonly verbs: readonly [string];
}

interface Tuple {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly name: string | undefined;
}

function resourcePart({ group, resource, verb, name }: Tuple): RulePart {
  const part = { verbs: [verb], apiGroups: [group], resources: [resource] } as const;
  return name === undefined ? part : { ...part, resourceNames: [name] };
}

/** Only wildcards cover the wildcards of a part: `*` is no ordinary name here. */
function coversPart(owner: PolicyRule, part: RulePart): boolean {
  if (!hasOrAll(owner.verbs ?? [], part.verbs[0])) return false;
  const [url] = part.nonResourceURLs ?? [];
  if (url !== undefined) return coversURL(owner, url);
  const [group] = part.apiGroups ?? [];
  const [resource] = part.resources ?? [];
  if (group === undefined || resource === undefined) return false;
  return (
    hasOrAll(owner.apiGroups ?? [], group) &&
    coversResource(owner.resources ?? [], resource) &&
    coversName(owner.resourceNames ?? [], part.resourceNames?.[0])
  );
}

/** A path part has no names, so an owner rule with names does not cover it. */
function coversURL(owner: PolicyRule, url: string): boolean {
  const unnamed = (owner.resourceNames ?? []).length === 0;
  return unnamed && (owner.nonResourceURLs ?? []).some((pattern) => pathMatches(pattern, url));
}

function hasOrAll(values: readonly string[], wanted: string): boolean {
  return values.includes('*') || values.includes(wanted);
}

function coversResource(owned: readonly string[], resource: string): boolean {
  if (hasOrAll(owned, resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && owned.includes(`*/${resource.slice(slash + 1)}`);
}

function coversName(owned: readonly string[], name: string | undefined): boolean {
  return owned.length === 0 || (name !== undefined && owned.includes(name));
}
