import type { RunController } from './controller.js';

/** One controller as `--controllers` names it. */
interface ListedController {
  /** Upstream: cmd/kube-controller-manager/names */
  readonly name: string;
  /** The name before 1.28. */
  readonly alias?: string;
  /** False: `*` does not enable it. */
  readonly byDefault: boolean;
  load(): Promise<RunController>;
}

/** All controllers. Each is loaded when it first runs. */
export const controllerList: readonly ListedController[] = [
  {
    name: 'namespace-controller',
    alias: 'namespace',
    byDefault: true,
    load: async () => (await import('./namespace/namespace-controller.js')).runNamespaceController,
  },
  {
    name: 'garbage-collector-controller',
    alias: 'garbagecollector',
    byDefault: true,
    load: async () => (await import('./garbage-collector/garbage-collector-controller.js')).runGarbageCollector,
  },
];
