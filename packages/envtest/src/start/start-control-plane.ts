import type { Clock } from '@apiserver/apimachinery/clock';
import { silentLogger } from '@apiserver/generic-server';
import { type KubeApiServerConfig, startKubeApiserver } from '@apiserver/kube-apiserver';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import type { ControlPlane, ControlPlaneOptions } from '../control-plane.js';
import { checkOptions } from './check-options.js';
import { combinePowers, type PlanePower } from './plane-power.js';
import { RunningControlPlane, type RunningControlPlaneContext } from './running-control-plane.js';
import { TemporaryFolder } from './temporary-folder.js';

/** Authorization as in a cluster. `flags` may name another mode. */
const defaultFlags = ['--authorization-mode=RBAC'];

/**
 * Starts a Kubernetes API server in this process and resolves when it is ready. Throws a ControlPlaneError for an unknown
 * option, and the errors of `startKubeApiserver`.
 *
 * ```ts
 * await using plane = await startControlPlane();
 * const response = await plane.fetch('/api/v1/namespaces');
 * ```
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  checkOptions(options);
  // Each power of a plane has its place in this list.
  const powers: readonly PlanePower[] = [];
  const folder = new TemporaryFolder();
  try {
    return new RunningControlPlane(await startServer(options, powers, folder));
  } catch (error) {
    folder[Symbol.dispose]();
    throw error;
  }
}

async function startServer(
  options: ControlPlaneOptions,
  powers: readonly PlanePower[],
  folder: TemporaryFolder,
): Promise<RunningControlPlaneContext> {
  const { logger = silentLogger, flags = [] } = options;
  const hooks = combinePowers(powers);
  const clock = powers.find((power) => power.clock !== undefined)?.clock ?? options.clock;
  const timing: { readonly clock?: Clock } = clock === undefined ? {} : { clock };
  const configured = Promise.withResolvers<KubeApiServerConfig>();
  const server = await startKubeApiserver({
    ...timing,
    dataDirectory: folder.path,
    storage: hooks.wrapStore(options.storage ?? createMemoryStore(timing)),
    flags: [...defaultFlags, ...flags],
    logger,
    configure: async (config) => {
      await options.configure?.(config);
      await hooks.configure(config);
      const { adjustFilters } = config.generic;
      config.generic.adjustFilters = (filters) => hooks.adjustFilters(adjustFilters(filters));
      configured.resolve(config);
    },
  });
  return { server, folder, logger, generic: (await configured.promise).generic, stopPowers: hooks.stop };
}
