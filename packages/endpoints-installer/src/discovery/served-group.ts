import type { APIGroupInfo, InstalledResource } from '@apiserver/apiserver-contracts';
import { isCustomResource } from '../scope/custom-resource.js';
import { compareKubeAwareVersions } from './kube-aware-version.js';

/** The resources of one version of a group, by plural name in alphabetical order. */
export interface ServedVersion {
  readonly version: string;
  readonly resources: readonly InstalledResource[];
}

/** A group with everything that is installed of it, versions in order of preference. */
export interface ServedGroup {
  /** "" for the core group. */
  readonly group: string;
  readonly versions: readonly ServedVersion[];
}

/** Gathers what was installed, one part after the other, into whole groups, in order of installation. */
export function servedGroups(installed: readonly APIGroupInfo[]): readonly ServedGroup[] {
  const groups = new Map<string, Map<string, InstalledResource[]>>();
  for (const { group, versions, resources } of installed) {
    const byVersion = groups.get(group) ?? new Map<string, InstalledResource[]>();
    groups.set(group, byVersion);
    for (const version of versions) {
      const present = byVersion.get(version) ?? [];
      byVersion.set(version, [...present, ...resources.filter((resource) => hasVersion(resource, version))]);
    }
  }
  return [...groups].map(([group, byVersion]) => ({
    group,
    versions: inOrder([...byVersion].map(([version, resources]) => ({ version, resources: resources.sort(byName) }))),
  }));
}

/** Definitions come in any order, so versions of custom resources are ranked by their names. */
function inOrder(versions: readonly ServedVersion[]): readonly ServedVersion[] {
  const isCustom = versions.every(({ resources }) => resources.every(({ definition }) => isCustomResource(definition)));
  return isCustom ? versions.toSorted((a, b) => compareKubeAwareVersions(a.version, b.version)) : versions;
}

function hasVersion({ definition }: InstalledResource, version: string): boolean {
  return definition.versions.some((candidate) => candidate.version === version);
}

function byName(a: InstalledResource, b: InstalledResource): number {
  return a.definition.resource < b.definition.resource ? -1 : 1;
}
