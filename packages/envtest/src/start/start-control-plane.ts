import type { Clock } from '@apiserver/apimachinery/clock';
import { silentLogger } from '@apiserver/generic-server';
import { type KubeApiServerConfig, startKubeApiserver } from '@apiserver/kube-apiserver';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import type { ControlPlane, ControlPlaneOptions } from '../control-plane.js';
import { combinePowers, type PlanePower } from '../powers/plane-power.js';
import { TemporaryFolder } from '../powers/temporary-folder.js';
import { TokenUsers } from '../users/token-users.js';
import type { WebhookTarget } from '../webhooks/local-webhooks.js';
import { LocalWebhookServer } from '../webhooks/webhook-server.js';
import { checkOptions } from './check-options.js';
import { needWebhookServer, type PlaneManifests, readPlaneManifests } from './plane-manifests.js';
import { RunningControlPlane, type RunningServer } from './running-control-plane.js';

/** Authorization as in a cluster. `flags` may name another mode. */
const defaultFlags = ['--authorization-mode=RBAC'];

/**
 * Starts a Kubernetes API server in this process and resolves when it is ready, with everything that the options name.
 * Throws a ControlPlaneError for an unknown option, and for objects that cannot be read or are refused; and the errors of
 * `startKubeApiserver`.
 *
 * ```ts
 * await using plane = await startControlPlane({ crds: 'config/crd' });
 * const response = await plane.fetch('/api/v1/namespaces');
 * ```
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  checkOptions(options);
  const manifests = readPlaneManifests(options);
  const disposables = new AsyncDisposableStack();
  try {
    const folder = disposables.use(new TemporaryFolder());
    const tokens = new TokenUsers();
    // Each power of a plane has its place in this list.
    const server = await startServer(options, { powers: [tokens], folder, disposables });
    const webhooks = await startWebhooks(options, manifests, disposables);
    const plane = new RunningControlPlane({ ...server, folder, tokens, webhooks, disposables });
    await plane.installAll(manifests);
    return plane;
  } catch (error) {
    await disposables.disposeAsync();
    throw error;
  }
}

interface ServerDependencies {
  readonly powers: readonly PlanePower[];
  readonly folder: TemporaryFolder;
  readonly disposables: AsyncDisposableStack;
}

/** The server of a plane with the powers, which end before it. */
async function startServer(
  options: ControlPlaneOptions,
  { powers, folder, disposables }: ServerDependencies,
): Promise<RunningServer> {
  const { logger = silentLogger, flags = [] } = options;
  const hooks = combinePowers(powers);
  const clock = powers.find((power) => power.clock !== undefined)?.clock ?? options.clock;
  const timing: { readonly clock?: Clock } = clock === undefined ? {} : { clock };
  const configured = Promise.withResolvers<KubeApiServerConfig>();
  const server = disposables.use(
    await startKubeApiserver({
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
    }),
  );
  disposables.defer(hooks.stop);
  return { server, logger, generic: (await configured.promise).generic };
}

/** The plane's own webhook server, or that of the test; undefined if nothing needs one. */
async function startWebhooks(
  { webhookServer }: ControlPlaneOptions,
  manifests: PlaneManifests,
  disposables: AsyncDisposableStack,
): Promise<LocalWebhookServer | WebhookTarget | undefined> {
  if (typeof webhookServer === 'object') return webhookServer;
  if (webhookServer === undefined && !needWebhookServer(manifests)) return undefined;
  // The machine's time, because certificates are checked against it.
  const server = disposables.use(await LocalWebhookServer.start(new Date()));
  if (webhookServer !== undefined) server.serve(webhookServer);
  return server;
}
