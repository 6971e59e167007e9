import type { APIGroupInfo, Handler, LoopbackClient } from '@apiserver/apiserver-contracts';
import {
  type ApiContainer,
  createApiContainer,
  createDiscovery,
  createDiscoveryAddresses,
  mergedContainers,
} from '@apiserver/endpoints-installer';
import type { Completed } from '../config/completed.js';
import type { CompletedGenericServerConfig } from '../config/generic-server-config.js';
import type { ListeningAddress } from '../config/server-context.js';
import { buildHandlerChain, defaultFilters } from '../filters/handler-chain.js';
import { installFlowControlDumps } from '../flowcontrol/dumps.js';
import { doneCheck, type HealthCheck, shutdownCheck } from '../health/health-check.js';
import { healthHandlers } from '../health/health-handlers.js';
import { type CheckKind, ServerChecks } from '../health/server-checks.js';
import type { PostStartHook } from '../lifecycle/post-start-hook.js';
import { RequestGroup } from '../lifecycle/request-group.js';
import { createLoopbackClient } from '../loopback/loopback-client.js';
import { withLoopback } from '../loopback/loopback-request.js';
import { metricsHandler } from '../metrics/metrics-handler.js';
import { type ServerMetrics, serverMetricsOf } from '../metrics/server-metrics.js';
import { PathMux } from '../mux/non-go-restful-mux.js';
import { installDebuggingPaths } from '../profiling/debugging-paths.js';
import { installVersion } from '../version/install-version.js';
import { installZPages } from '../zpages/z-pages.js';
import { createDirector, type HandlerSource } from './director.js';
import { externalAddress } from './external-address.js';
import type {
  DelegationTarget,
  GenericServer,
  PreparedServer,
  PrepareOptions,
  PreShutdownHook,
} from './generic-server.js';
import { Lifecycle } from './lifecycle.js';
import { indexHandler, newEmptyDelegate, notFoundHandler } from './not-found.js';
import { prepareServer } from './prepared-server.js';

/** A server's name and place in the chain. */
export interface NewGenericServerOptions {
  /** For the log. */
  readonly name: string;
  /** Handles requests that this server does not know. Absent: the index is returned with 404. */
  readonly delegate?: DelegationTarget;
}

/**
 * Creates a server. It opens nothing, and takes no port, before its prepared form runs.
 * Upstream: k8s.io/apiserver/pkg/server.completedConfig.New
 */
export function newGenericServer(
  config: Completed<CompletedGenericServerConfig>,
  options: NewGenericServerOptions,
): GenericServer {
  return new ApiServer(config, options);
}

class ApiServer implements GenericServer {
  readonly name: string;
  readonly apiContainer: ApiContainer;
  readonly nonGoRestfulMux = new PathMux();
  readonly disposables = new AsyncDisposableStack();
  readonly unprotectedHandler: Handler;
  readonly handler: Handler;
  readonly loopbackClient: LoopbackClient;
  readonly #config: Completed<CompletedGenericServerConfig>;
  readonly #delegate: DelegationTarget;
  readonly #lifecycle: Lifecycle;
  readonly #metrics: ServerMetrics;
  readonly #requests = new RequestGroup();
  readonly #longRunningRequests = new RequestGroup();
  readonly #sources: HandlerSource[] = [];
  readonly #hooks = new Map<string, PostStartHook>();
  readonly #preShutdownHooks = new Map<string, PreShutdownHook>();
  readonly #checks: ServerChecks;
  #prepared = false;

  constructor(config: Completed<CompletedGenericServerConfig>, { name, delegate }: NewGenericServerOptions) {
    this.name = name;
    this.#config = config;
    this.#delegate = delegate ?? newEmptyDelegate();
    this.#lifecycle = new Lifecycle(config.logger);
    this.#metrics = serverMetricsOf(config);
    const { yamlWorkers } = config;
    this.apiContainer = createApiContainer({
      ...config,
      metrics: this.#metrics.endpoints,
      parseLargeYaml: (bytes, maxValues, signal) => yamlWorkers.parse(bytes, maxValues, signal),
    });
    this.unprotectedHandler = createDirector({
      container: this.apiContainer,
      sources: this.#sources,
      mux: this.nonGoRestfulMux,
      otherwise: this.#delegate.unprotectedHandler ?? this.#notFound(),
    });
    this.handler = this.#chain();
    this.loopbackClient = createLoopbackClient({
      handler: (exchange) => this.handler(exchange),
      now: config.now,
      streamsLists: config.features?.watchList ?? true,
    });
    this.#checks = new ServerChecks(config);
    for (const [hookName, hook] of this.#delegate.postStartHooks) this.#hooks.set(hookName, hook);
    for (const [hookName, hook] of config.postStartHooks) {
      if (!this.#hooks.has(hookName)) this.addPostStartHook(hookName, hook);
    }
    this.#checks.addDelegated(this.#delegate.healthChecks);
    for (const [hookName, hook] of this.#delegate.preShutdownHooks) this.#preShutdownHooks.set(hookName, hook);
    this.#installPaths();
    this.#installDiscovery();
  }

  get postStartHooks(): ReadonlyMap<string, PostStartHook> {
    return this.#hooks;
  }

  get preShutdownHooks(): ReadonlyMap<string, PreShutdownHook> {
    return this.#preShutdownHooks;
  }

  get healthChecks(): readonly HealthCheck[] {
    return this.#checks.of('health');
  }

  installApiGroup(info: APIGroupInfo): void {
    this.apiContainer.install(info);
  }

  addHandlerSource(source: HandlerSource): void {
    this.#sources.push(source);
  }

  addPostStartHook(name: string, hook: PostStartHook): void {
    this.#mustNotBePrepared(`the post-start hook ${name}`);
    if (this.#hooks.has(name)) throw new Error(`unable to add ${name}: it is registered already`);
    let isDone = false;
    this.#hooks.set(name, async (context) => {
      await hook(context);
      isDone = true;
    });
    this.addBootSequenceHealthChecks(doneCheck(`poststarthook/${name}`, () => isDone));
  }

  addPreShutdownHook(name: string, hook: PreShutdownHook): void {
    this.#mustNotBePrepared(`the pre-shutdown hook ${name}`);
    if (this.#preShutdownHooks.has(name)) throw new Error(`unable to add ${name}: it is registered already`);
    this.#preShutdownHooks.set(name, hook);
  }

  addHealthChecks(...checks: readonly HealthCheck[]): void {
    this.#addChecks(['health', 'livez', 'readyz'], checks);
  }

  addBootSequenceHealthChecks(...checks: readonly HealthCheck[]): void {
    this.#addChecks(['health', 'readyz'], checks);
    this.#addChecks(['livez'], this.#checks.delayed(checks));
  }

  addReadyzChecks(...checks: readonly HealthCheck[]): void {
    this.#addChecks(['readyz'], checks);
  }

  addLivezChecks(...checks: readonly HealthCheck[]): void {
    this.#addChecks(['livez'], checks);
  }

  listedPaths(): readonly string[] {
    const own = [
      ...this.#sources.flatMap((source) => source.listedPaths?.() ?? []),
      ...this.nonGoRestfulMux.listedPaths(),
      ...this.#delegate.listedPaths(),
    ];
    return [...new Set(own)].sort();
  }

  prepareRun(): void {
    if (this.#prepared) return;
    this.#prepared = true;
    this.#delegate.prepareRun();
    this.#installHealth();
    installZPages(this.nonGoRestfulMux, {
      config: this.#config,
      metrics: this.#metrics.requests,
      deprecatedRequests: this.#metrics.endpoints.deprecatedRequests,
      processStart: this.#config.now() - performance.now(),
      listedPaths: () => this.listedPaths(),
    });
  }

  prepareServer({ withoutPort = false }: PrepareOptions = {}): PreparedServer {
    this.prepareRun();
    return prepareServer({
      config: withoutPort ? { ...this.#config, secureServing: undefined } : this.#config,
      handler: this.handler,
      lifecycle: this.#lifecycle,
      requests: this.#requests,
      longRunningRequests: this.#longRunningRequests,
      loopbackClient: this.loopbackClient,
      metrics: this.#metrics,
      hooks: this.#hooks,
      preShutdownHooks: this.#preShutdownHooks,
      dispose: () => this.dispose(),
    });
  }

  async dispose(): Promise<void> {
    await this.disposables.disposeAsync();
    await this.#delegate.dispose();
    // The innermost server runs this first, after all servers' own disposables.
    await this.#config.disposables.disposeAsync();
  }

  #chain(): Handler {
    const dependencies = {
      config: this.#config,
      authenticator: withLoopback(this.#config.authenticator),
      metrics: this.#metrics,
      requests: this.#requests,
      longRunningRequests: this.#longRunningRequests,
      notAcceptingNewRequests: this.#lifecycle.notAcceptingNewRequests,
    };
    return buildHandlerChain(this.unprotectedHandler, this.#config.adjustFilters(defaultFilters(dependencies)));
  }

  #notFound(): Handler {
    return this.#config.enableIndex ? indexHandler(404, () => this.listedPaths()) : notFoundHandler;
  }

  #installPaths(): void {
    const { enableIndex, enableMetrics, debugging, flowControl, metrics, now, version, logger } = this.#config;
    const mux = this.nonGoRestfulMux;
    if (enableIndex) {
      const index = indexHandler(200, () => this.listedPaths());
      for (const path of ['/', '/index.html']) mux.handle(path, index, { unlisted: true });
    }
    if (enableMetrics) {
      const options = { canReset: debugging.profiling, processStart: now() - performance.now() };
      mux.handle('/metrics', metricsHandler(metrics, options));
      mux.handle('/metrics/slis', metricsHandler(this.#metrics.slis.registry, options));
    }
    if (flowControl !== undefined) installFlowControlDumps(mux, flowControl);
    if (debugging.profiling) installDebuggingPaths(mux, debugging, metrics);
    installVersion(mux, version, logger);
  }

  #installDiscovery(): void {
    const { enableDiscovery, discovery, logger, signals, externalAddress: configured } = this.#config;
    if (!enableDiscovery) return;
    const addresses = createDiscoveryAddresses(() => addressOf(configured, signals.listening.value));
    const container = mergedContainers(this.apiContainer, ...(discovery.delegated ?? []));
    const { handlerFor } = createDiscovery({ ...discovery, container, addresses, logger });
    this.addHandlerSource({ handlerFor, listedPaths: () => ['/apis', ...apiPaths(this.apiContainer)] });
  }

  #installHealth(): void {
    const { logger } = this.#config;
    const endpoints = new Map([
      ['/healthz', this.#checks.of('health')],
      ['/livez', this.#checks.of('livez')],
      ['/readyz', [...this.#checks.of('readyz'), shutdownCheck(this.#lifecycle.shutdownInitiated)]],
    ]);
    for (const [path, checks] of endpoints) {
      for (const [checkPath, handler] of healthHandlers(path, checks, { logger, slis: this.#metrics.slis })) {
        this.nonGoRestfulMux.handle(checkPath, this.#measured(path, checkPath, handler));
      }
    }
  }

  /** Health endpoints count as requests, their single checks do not. */
  #measured(path: string, checkPath: string, handler: Handler): Handler {
    if (path !== checkPath) return handler;
    return (exchange) => {
      this.#metrics.requests.track(exchange, { longRunning: false, measuresRoute: false });
      return handler(exchange);
    };
  }

  #addChecks(kinds: readonly CheckKind[], checks: readonly HealthCheck[]): void {
    this.#mustNotBePrepared('health checks');
    this.#checks.add(kinds, checks);
  }

  #mustNotBePrepared(what: string): void {
    if (this.#prepared) throw new Error(`unable to add ${what}: the server ${this.name} is prepared already`);
  }
}

/** The roots of installed APIs, like upstream's list of web services. */
function apiPaths(container: ApiContainer): string[] {
  return container
    .groupVersions()
    .flatMap(({ group, version }) =>
      group === '' ? ['/api', `/api/${version}`] : ['/apis', `/apis/${group}`, `/apis/${group}/${version}`],
    );
}

/** The address of a server for external clients; without a port until it is known. */
function addressOf(configured: string, listening: ListeningAddress | undefined): string {
  const host = configured === '' ? (listening?.address ?? 'localhost') : configured;
  return listening === undefined ? host : externalAddress(host, listening.port);
}
