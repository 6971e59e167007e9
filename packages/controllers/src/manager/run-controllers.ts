import type { GroupVersionResource } from '@apiserver/apimachinery';
import { type Clock, JoinedSignal } from '@apiserver/apimachinery/clock';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { FeatureGates, Logger, LoopbackClient } from '@apiserver/apiserver-contracts';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import { createWorkQueueMetrics, runWorkQueue } from '@apiserver/component-base/work-queue';
import { createInformer, selectingClient } from '@apiserver/registry-store';
import type { ControllerContext, RunController, SignSecretToken } from '../controller.js';
import { controllerList } from '../controller-list.js';
import { discoverResources, type ReadPath } from '../discovery/discover-resources.js';
import { ControllerMetrics } from './controller-metrics.js';
import { ManagerLease } from './manager-lease.js';
import { sharedInformers } from './shared-informers.js';

/** Dependencies of the controllers. */
export interface ControllersOptions {
  /** See `enabledControllers`. */
  readonly enabled: readonly string[];
  readonly client: LoopbackClient;
  /** Reads discovery documents. */
  readonly read: ReadPath;
  /**
   * Resolves when a resource is first used; it has no object before. Undefined if it may have objects. Default: all
   * resources may.
   */
  readonly firstUse?: ((resource: GroupVersionResource) => Promise<void> | undefined) | undefined;
  /** True if other servers write to the same store. */
  readonly isStoreShared: boolean;
  /**
   * Runs `work` whenever this server leads those of its store, until the signal aborts. `work` ends with its own signal.
   * Default: this server leads.
   */
  readonly whileLeading?: (work: (term: AbortSignal) => Promise<void>, signal: AbortSignal) => Promise<void>;
  /** PEM: the authority of the server's certificate. */
  readonly rootCA: string;
  /** Default: secrets get no tokens. */
  readonly signSecretToken?: SignSecretToken | undefined;
  readonly features: FeatureGates;
  readonly clock: Clock;
  readonly random: RandomInt;
  readonly newUid: () => string;
  /** Gets the metrics of work queues. */
  readonly metrics: MetricsRegistry;
  readonly logger: Logger;
}

/** A controller of this run, with its name. */
interface LoadedController {
  readonly name: string;
  readonly run: RunController;
}

/**
 * Runs controllers until the signal aborts. They pause while a kube-controller-manager holds its lease, and while
 * another server leads. Resolves when nothing of them is under way. Call it when the server is ready, and once per
 * metrics registry.
 */
export async function runControllers(options: ControllersOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, random, logger, metrics, whileLeading = (work, signal) => work(signal) } = options;
  const queueMetrics = createWorkQueueMetrics(metrics, clock);
  const controllerMetrics = new ControllerMetrics(metrics);
  await using lease = new ManagerLease(client, { clock, random, logger });
  await lease.synced(signal).catch(() => {});
  const controllers = await loadControllers(options.enabled);
  while (!signal.aborted) {
    await lease.until('free', signal);
    if (signal.aborted) return;
    const standDown = new AbortController();
    const { signal: turn } = new JoinedSignal(signal, standDown.signal);
    const running = whileLeading(
      (term) => runTurn(controllers, { ...options, queueMetrics, controllerMetrics, signal: term }),
      turn,
    );
    await lease.until('held', signal);
    if (!signal.aborted) logger.info('A kube-controller-manager holds its lease: controllers pause');
    standDown.abort();
    await running;
  }
}

async function loadControllers(names: readonly string[]): Promise<readonly LoadedController[]> {
  const listed = controllerList.filter(({ name }) => names.includes(name));
  return Promise.all(listed.map(async ({ name, load }) => ({ name, run: await load() })));
}

/** Dependencies of one turn, which ends with the signal. */
interface TurnOptions extends ControllersOptions {
  readonly queueMetrics: ReturnType<typeof createWorkQueueMetrics>;
  readonly controllerMetrics: ControllerMetrics;
  readonly signal: AbortSignal;
}

/** Runs the controllers until the signal aborts; then disposes their informers. */
async function runTurn(controllers: readonly LoadedController[], options: TurnOptions): Promise<void> {
  const { client, clock, random, newUid, logger, signal, queueMetrics, controllerMetrics } = options;
  const { firstUse = () => undefined, isStoreShared, rootCA, signSecretToken, features } = options;
  await using informers = new AsyncDisposableStack();
  const informer = sharedInformers((resource, { namespace, fieldSelector }) => {
    const whole = client.resource<never>(resource);
    const selected = fieldSelector === '' ? whole : selectingClient(whole, { fieldSelector });
    return informers.use(
      createInformer({ client: selected, namespace, clock, random, logger, firstUse: firstUse(resource) }),
    );
  });
  const discovery = discoverResources(options.read);
  const run = async ({ name, run }: LoadedController) => {
    const named = logger.named(name);
    const context: ControllerContext = {
      client,
      discovery,
      firstUse,
      clock,
      random,
      newUid,
      signal,
      isStoreShared,
      rootCA,
      signSecretToken,
      features,
      logger: named,
      informer,
      counter: (metric) => controllerMetrics.counter(metric),
      histogram: (metric, bounds) => controllerMetrics.histogram(metric, bounds),
      queue: (queue) => runWorkQueue({ ...queue, metrics: queueMetrics(queue.name), clock, signal, logger: named }),
    };
    try {
      await run(context);
    } catch (error) {
      if (!signal.aborted) named.error(error, 'The controller ended');
    }
  };
  await Promise.all(controllers.map(run));
}
