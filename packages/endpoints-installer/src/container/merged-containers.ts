import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import type { ApiContainer } from './api-container.js';

/** The view of a container for discovery and OpenAPI. */
export type InstalledView = Pick<ApiContainer, 'installed' | 'onChange'>;

/**
 * Combines the containers of several servers of a chain, in their order. A group version belongs to the first server
 * that has it: that server answers all requests for it. A definition may have a version of a built-in group.
 */
export function mergedContainers(...containers: readonly InstalledView[]): InstalledView {
  return {
    installed: () => {
      const taken = new Set<string>();
      return containers.flatMap((container) => {
        const parts = container.installed();
        const reached = parts.flatMap((part) => withoutVersions(part, taken));
        for (const part of parts) for (const version of part.versions) taken.add(keyOf(part, version));
        return reached;
      });
    },
    onChange: (listener) => {
      const unsubscribers = containers.map((container) => container.onChange(listener));
      return () => {
        for (const unsubscribe of unsubscribers) unsubscribe();
      };
    },
  };
}

/** The part without the versions of others; nothing if it has no other. */
function withoutVersions(part: APIGroupInfo, taken: ReadonlySet<string>): readonly APIGroupInfo[] {
  const versions = part.versions.filter((version) => !taken.has(keyOf(part, version)));
  if (versions.length === part.versions.length) return [part];
  return versions.length === 0 ? [] : [{ ...part, versions }];
}

function keyOf({ group }: APIGroupInfo, version: string): string {
  return `${group}/${version}`;
}
