import type { RuleWithOperations, ValidatingAdmissionPolicySpec } from '@apiserver/api/admissionregistration/v1';
import { formatGroupVersionKind, type GroupVersionKind, type GroupVersionResource } from '@apiserver/apimachinery';

/** The kinds of a resource, empty for an unknown one. For the group "", those of all groups. */
export type KindsOf = (resource: GroupVersionResource) => Promise<readonly GroupVersionKind[]>;

/** Most kinds of one rule. */
const MAX_KINDS = 10;

/**
 * The kinds whose types a policy's expressions are checked against, sorted. Rules with wildcards have none; a rule with
 * as many kinds as the maximum is the last one.
 * Upstream: typesToCheck of k8s.io/apiserver/pkg/admission/plugin/policy/validating/typechecking.go
 */
export async function kindsToCheck(
  { matchConstraints }: ValidatingAdmissionPolicySpec,
  kindsOf: KindsOf,
): Promise<readonly GroupVersionKind[]> {
  const kinds = new Map<string, GroupVersionKind>();
  for (const rule of matchConstraints?.resourceRules ?? []) {
    let count = 0;
    for (const resource of resourcesOf(rule)) {
      for (const kind of await kindsOf(resource)) {
        kinds.set(formatGroupVersionKind(kind), kind);
        count += 1;
        if (count === MAX_KINDS) return sorted(kinds);
      }
    }
  }
  return sorted(kinds);
}

function* resourcesOf(rule: RuleWithOperations): Generator<GroupVersionResource> {
  const [groups, versions] = [withoutWildcards(rule.apiGroups), withoutWildcards(rule.apiVersions)];
  const resources = (rule.resources ?? []).filter((resource) => !/[*/]/.test(resource)).sort(compare);
  for (const group of groups) {
    for (const version of versions) {
      for (const resource of resources) yield { group, version, resource };
    }
  }
}

function withoutWildcards(names: readonly string[] = []): readonly string[] {
  return names.some((name) => name.includes('*')) ? [] : [...names].sort(compare);
}

function sorted(kinds: ReadonlyMap<string, GroupVersionKind>): readonly GroupVersionKind[] {
  return [...kinds.values()].sort(
    (a, b) => compare(a.group, b.group) || compare(a.version, b.version) || compare(a.kind, b.kind),
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
