import { once } from '@apiserver/apimachinery/lazy';
import { type GenericServerConfig, silentLogger } from '@apiserver/generic-server';
import { type KubeApiServerConfig, startKubeApiserver } from '@apiserver/kube-apiserver';
import type { KeyValueStore, SharedObjects } from '@apiserver/registry-store';
import { createMemoryStore, type MemoryStore } from '@apiserver/registry-store/memory';
import type { PlaneSnapshot } from '@apiserver/test-powers';
import {
  ControlPlaneError,
  combinePowers,
  Faults,
  OwnRequests,
  PlaneClock,
  type PlanePower,
  Requests,
} from '@apiserver/test-powers';
import type { ControlPlane, ControlPlaneOptions } from '../control-plane.js';
import { TemporaryFolder } from '../powers/temporary-folder.js';
import { TokenUsers } from '../users/token-users.js';
import type { WebhookTarget } from '../webhooks/local-webhooks.js';
import { LocalWebhookServer } from '../webhooks/webhook-server.js';
import { checkOptions } from './check-options.js';
import { needWebhookServer, type PlaneManifests, readPlaneManifests } from './plane-manifests.js';
import { type CertificateFolder, processContext } from './process-context.js';
import { RunningControlPlane, type RunningServer } from './running-control-plane.js';

/** As in a cluster. `flags` may say otherwise. */
const defaultFlags = ['--authorization-mode=RBAC'];

/**
 * Starts a Kubernetes API server in this process and resolves when it is ready, with everything that the options name.
 * Throws a ControlPlaneError for an unknown option, and for objects that cannot be read or are refused; and the errors
 * of `startKubeApiserver`.
 *
 * ```ts
 * await using plane = await startControlPlane({ crds: 'config/crd' });
 * const response = await plane.fetch('/api/v1/namespaces');
 * ```
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  checkOptions(options);
  if (options.storage !== undefined && options.from !== undefined) {
    throw new ControlPlaneError(
      'the options "storage" and "from" exclude each other: a snapshot has a store of its own',
    );
  }
  return await startPlane(options, { isFork: false, clock: new PlaneClock(options.clock), tokens: new TokenUsers() });
}

/** The origin of a plane: what a fork has of another one. */
interface Origin {
  readonly isFork: boolean;
  readonly clock: PlaneClock;
  readonly tokens: TokenUsers;
  /** The decoded objects that all forks of one plane share. Absent: there is none yet. */
  readonly objects?: SharedObjects;
}

async function startPlane(options: ControlPlaneOptions, origin: Origin): Promise<ControlPlane> {
  const { isFork, clock, tokens } = origin;
  const objects = once(() => origin.objects ?? processContext().server.objectsOfForks());
  const manifests = readPlaneManifests(options);
  const disposables = new AsyncDisposableStack();
  try {
    const folder = disposables.use(new TemporaryFolder());
    const certificates = disposables.use(await processContext().certificates());
    const own = new OwnRequests();
    const faults = new Faults(clock, own);
    const requests = new Requests({ faults, own });
    // Each power of a plane has its place in this list. Requests are recorded inside the cuts of connections.
    const powers: readonly PlanePower[] = [tokens, requests, faults];
    const server = await startServer(options, {
      powers,
      clock,
      certificates,
      disposables,
      forkObjects: isFork ? objects() : undefined,
    });
    const webhooks = await startWebhooks(options, manifests, disposables);
    const fork = (snapshot: PlaneSnapshot) =>
      startPlane(forkOptions(options, snapshot, webhooks), {
        isFork: true,
        clock: clock.copy(),
        tokens: tokens.copy(),
        objects: objects(),
      });
    const context = {
      ...server,
      clock,
      own,
      faults,
      requests,
      fork,
      folder,
      certificates,
      tokens,
      webhooks,
      disposables,
    };
    const plane = new RunningControlPlane(context);
    await plane.installAll(manifests);
    requests.start();
    return plane;
  } catch (error) {
    await disposables.disposeAsync();
    throw error;
  }
}

/** The manifests of a plane are in its snapshot already. */
function forkOptions(
  { crds: _crds, objects: _objects, webhooks: _webhooks, webhookServer: _own, ...options }: ControlPlaneOptions,
  from: PlaneSnapshot,
  webhookServer: WebhookTarget | undefined,
): ControlPlaneOptions {
  return { ...options, from, ...(webhookServer && { webhookServer }) };
}

interface ServerDependencies {
  /** The objects that a fork shares with others; undefined for a plane that is no fork. */
  readonly forkObjects: SharedObjects | undefined;
  readonly powers: readonly PlanePower[];
  readonly clock: PlaneClock;
  readonly certificates: CertificateFolder;
  readonly disposables: AsyncDisposableStack;
}

/** The server of a plane with the powers, which end before it. */
async function startServer(
  options: ControlPlaneOptions,
  { forkObjects, powers, clock, certificates, disposables }: ServerDependencies,
): Promise<RunningServer> {
  const { logger = silentLogger, controllers = ['*'], flags = [], from } = options;
  const hooks = combinePowers(powers);
  const store = options.storage ?? createMemoryStore({ clock, ...(from && { from: from.store }) });
  const configured = Promise.withResolvers<KubeApiServerConfig>();
  const wrapped = hooks.wrapStore(store);
  // A program's `configure` may change the objects of a start.
  const shared = options.configure === undefined ? processContext().server : undefined;
  // A fork has the policy of its origin, with every change of the test.
  if (forkObjects !== undefined) {
    shared?.prepared(wrapped);
    shared?.shareObjects(wrapped, forkObjects);
  }
  const server = disposables.use(
    await startKubeApiserver({
      clock,
      dataDirectory: certificates.path,
      writesKubeconfig: false,
      storage: wrapped,
      flags: [
        ...defaultFlags,
        `--cert-dir=${certificates.path}`,
        ...controllers.map((name) => `--controllers=${name}`),
        ...flags,
      ],
      logger,
      shared,
      configure: async (config) => {
        await options.configure?.(config);
        await hooks.configure(config);
        config.generic.adjustFilters = withFilters(hooks, config.generic.adjustFilters);
        configured.resolve(config);
      },
    }),
  );
  certificates.filled();
  disposables.defer(hooks.stop);
  const { generic } = await configured.promise;
  return { server, logger, generic, watched: store, store: isMemoryStore(store) ? store : undefined };
}

/** A function of its own: V8 makes a function that is assigned where it is written in the old generation. */
function withFilters(
  hooks: Required<PlanePower>,
  adjust: GenericServerConfig['adjustFilters'],
): GenericServerConfig['adjustFilters'] {
  return (filters) => hooks.adjustFilters(adjust(filters));
}

function isMemoryStore(store: KeyValueStore): store is MemoryStore {
  return 'snapshot' in store && 'restore' in store;
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
