import type { APIGroupInfo, InstalledResource } from '@apiserver/apiserver-contracts';
import { resourcePolicyOf } from '../semantics/policies.js';
import { compareKubeAwareVersions } from './kube-aware-version.js';

/** The resources of one version of a group, by plural name in alphabetical order. */
export interface ServedVersion {
  readonly version: string;
  readonly resources: readonly InstalledResource[];
}

/** A group with everything installed in it, versions in order of preference. */
export interface ServedGroup {
  /** "" for the core group. */
  readonly group: string;
  readonly versions: readonly ServedVersion[];
}

/** Combines installed parts into whole groups, in order of installation. */
export function servedGroups(installed: readonly APIGroupInfo[]): readonly ServedGroup[] {
  const groups = new Map<string, Map<string, InstalledResource[]>>();
  for (const { group, versions, resources } of installed) {
    const byVersion = groups.get(group) ?? new Map<string, InstalledResource[]>();
    groups.set(group, byVersion);
    for (const version of versions) {
      const present = byVersion.get(version) ?? [];
      for (const resource of resources) if (hasVersion(resource, version)) present.push(resource);
      byVersion.set(version, present);
    }
  }
  return [...groups].map(([group, byVersion]) => ({
    group,
    versions: inOrder([...byVersion].map(([version, resources]) => ({ version, resources: resources.sort(byName) }))),
  }));
}

function inOrder(versions: readonly ServedVersion[]): readonly ServedVersion[] {
  const isRanked = versions.every(({ resources }) =>
    resources.every(({ definition }) => resourcePolicyOf(definition).discovery.ranksVersionsByName),
  );
  return isRanked ? versions.toSorted((a, b) => compareKubeAwareVersions(a.version, b.version)) : versions;
}

function hasVersion({ definition }: InstalledResource, version: string): boolean {
  return definition.versions.some((candidate) => candidate.version === version);
}

function byName(a: InstalledResource, b: InstalledResource): number {
  return a.definition.resource < b.definition.resource ? -1 : 1;
}
