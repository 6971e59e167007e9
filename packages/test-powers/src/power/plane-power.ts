import type { Filter } from '@apiserver/apiserver-contracts';
import type { GenericServerConfig } from '@apiserver/generic-server';
import type { KeyValueStore } from '@apiserver/registry-store';

/** The config of a server as the powers need it. */
export interface PowerConfig {
  readonly generic: GenericServerConfig;
}

/**
 * A power of tests over a server, such as its clock or its faults. Each has a folder of its own, and hooks into the
 * server here, before the server is made. Every hook is optional, and a power without effect costs a request nothing.
 */
export interface PlanePower {
  /** Wraps the store of objects, below the watch cache. Disposing the result must dispose `store`. */
  wrapStore?(store: KeyValueStore): KeyValueStore;
  /** Changes the filters of the chain, outermost first. */
  adjustFilters?(filters: readonly Filter[]): readonly Filter[];
  /** Changes the config of the server in other ways. */
  configure?(config: PowerConfig): Promise<void> | void;
  /** Ends what the power runs. Called when the server still responds. */
  stop?(): Promise<void> | void;
}

/** The hooks of all powers as those of one. The first power wraps first, so that it lies innermost. */
export function combinePowers(powers: readonly PlanePower[]): Required<PlanePower> {
  return {
    wrapStore: (store) => powers.reduce((wrapped, power) => power.wrapStore?.(wrapped) ?? wrapped, store),
    adjustFilters: (filters) =>
      powers.reduce((adjusted, power) => power.adjustFilters?.(adjusted) ?? adjusted, filters),
    configure: async (config) => {
      for (const power of powers) await power.configure?.(config);
    },
    stop: async () => {
      for (const power of powers.toReversed()) await power.stop?.();
    },
  };
}
