import type { ApiContainer } from './api-container.js';

/** What discovery and OpenAPI look at. */
export type InstalledView = Pick<ApiContainer, 'installed' | 'onChange'>;

/** The containers of several servers of a chain, as if everything were installed in one. */
export function mergedContainers(...containers: readonly InstalledView[]): InstalledView {
  return {
    installed: () => containers.flatMap((container) => container.installed()),
    onChange: (listener) => {
      const off = containers.map((container) => container.onChange(listener));
      return () => {
        for (const takeOff of off) takeOff();
      };
    },
  };
}
