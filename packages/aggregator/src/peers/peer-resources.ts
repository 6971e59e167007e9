import type { APIGroupDiscovery } from '@apiserver/api/apidiscovery/v2';
import { type ExcludedGroupVersions, groupVersionName } from './excluded-group-versions.js';
import type { PeerGroups } from './merge-peer-groups.js';
import { type PeerDiscovery, resourceName } from './peer-discovery.js';

/** The discovery of peers without the group versions that all servers serve alike. */
export class PeerResources {
  readonly #discovery: Pick<PeerDiscovery, 'entries'>;
  readonly #excluded: Pick<ExcludedGroupVersions, 'has'>;
  #groups: PeerGroups | undefined = undefined;

  constructor(discovery: Pick<PeerDiscovery, 'entries'>, excluded: Pick<ExcludedGroupVersions, 'has'>) {
    this.#discovery = discovery;
    this.#excluded = excluded;
  }

  /** Must be called after every change of discovery or of the excluded group versions. */
  changed(): void {
    this.#groups = undefined;
  }

  /** The identities of the servers that serve a resource. */
  serversOf(group: string, version: string, resource: string): readonly string[] {
    if (this.#excluded.has(groupVersionName(group, version))) return [];
    const name = resourceName(group, version, resource);
    return [...this.#discovery.entries].filter(([, { resources }]) => resources.has(name)).map(([id]) => id);
  }

  groups(): PeerGroups {
    this.#groups ??= new Map(
      [...this.#discovery.entries].map(([id, { groups }]) => [id, groups.flatMap((group) => this.#served(group))]),
    );
    return this.#groups;
  }

  /** Nothing if all versions of a group are excluded. */
  #served(group: APIGroupDiscovery): readonly APIGroupDiscovery[] {
    const { name = '' } = group.metadata;
    const before = group.versions ?? [];
    const versions = before.filter(({ version }) => !this.#excluded.has(groupVersionName(name, version)));
    if (versions.length === before.length) return [group];
    return versions.length === 0 ? [] : [{ ...group, versions }];
  }
}
