import type { ApiContainer } from './api-container.js';

/** The view of a container for discovery and OpenAPI. */
export type InstalledView = Pick<ApiContainer, 'installed' | 'onChange'>;

/** Combines the containers of several servers of a chain. */
export function mergedContainers(...containers: readonly InstalledView[]): InstalledView {
  return {
    installed: () => containers.flatMap((container) => container.installed()),
    onChange: (listener) => {
      const unsubscribers = containers.map((container) => container.onChange(listener));
      return () => {
        for (const unsubscribe of unsubscribers) unsubscribe();
      };
    },
  };
}
