import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import type { APIService } from '@apiserver/api/apiregistration/v1';
import type { Service } from '@apiserver/api/core/v1';
import type { EndpointSlice } from '@apiserver/api/discovery/v1';
import type { GroupVersion, GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { Filter, Handler, Informer, Logger, ResourceClient } from '@apiserver/apiserver-contracts';
import { createWorkQueueMetrics } from '@apiserver/component-base/work-queue';
import {
  createDiscovery,
  type InstalledView,
  mergedContainers,
  type RemoteOpenApiDocuments,
} from '@apiserver/endpoints-installer';
import {
  type Completed,
  type CompletedGenericServerConfig,
  type DelegationTarget,
  type GenericServer,
  newGenericServer,
} from '@apiserver/generic-server';
import {
  createInformer,
  type InstallOptions,
  installedResource,
  type StorageProvider,
} from '@apiserver/registry-store';
import { apiServiceDefinition } from '../api-service/definition.js';
import { AvailabilityMetrics } from '../availability/availability-metrics.js';
import { runLocalAvailability } from '../availability/local-availability.js';
import { runRemoteAvailability } from '../availability/remote-availability.js';
import { createAggregatorDiscovery } from '../discovery/aggregator-discovery.js';
import { createDiscoveryMetrics, type DiscoveryMetrics } from '../discovery/discovery-metrics.js';
import { RemoteDiscovery } from '../discovery/remote-discovery.js';
import { RemoteOpenApi } from '../openapi/remote-open-api.js';
import { RemoteSpecs } from '../openapi/remote-specs.js';
import type { PeerProxying } from '../peers/load-peers.js';
import type { PeerProxy } from '../peers/peer-proxy.js';
import type { ProxyCertificate } from '../proxy/kept-transports.js';
import { RemoteApiServices } from '../proxy/remote-api-services.js';
import { clusterIPResolver, endpointResolver, type ServiceResolver } from '../proxy/service-resolver.js';
import { AutoRegistration } from '../registration/auto-registration.js';
import { builtInApiServices } from '../registration/built-in-api-services.js';
import { builtInPriority } from '../registration/built-in-priorities.js';
import { type ApiServicePriority, apiServiceName } from '../registration/desired-api-service.js';
import { registerDefinitions } from '../registration/register-definitions.js';
import { RegistrationCheck } from '../registration/registration-check.js';

/** Configuration of the aggregator. */
export interface AggregatorConfig {
  readonly generic: Completed<CompletedGenericServerConfig>;
  /** Storage of the APIServices; disposed by its creator. */
  readonly provider: StorageProvider;
  readonly clock: Clock;
  readonly install: InstallOptions;
  readonly logger: Logger;
  /** The groups that the delegates serve. */
  readonly delegated: InstalledView;
  /** The definitions whose group versions get an APIService; undefined if there are none. */
  readonly definitions: Informer<CustomResourceDefinition> | undefined;
  /** Group versions of `delegate` beside the built-in ones. They get an APIService too. Default: none. */
  readonly extraGroupVersions?: readonly GroupVersion[];
  /** Proxy settings for remote servers. */
  readonly proxying: ProxyingConfig;
  /** Passes requests that only another kube-apiserver can serve on to it. Default: this server serves all. */
  readonly peers?: PeerProxying | undefined;
  /** Default: registered by the aggregator. */
  readonly discoveryMetrics?: DiscoveryMetrics;
}

/** Upstream flags: --enable-aggregator-routing, --proxy-client-cert-file, --proxy-client-key-file */
export interface ProxyingConfig {
  /** Connect to endpoints rather than to the service's cluster IP. */
  readonly routeToEndpoints: boolean;
  /** Reject redirects of remote servers. Upstream flag: --aggregator-reject-forwarding-redirect */
  readonly rejectRedirects: boolean;
  /** Tells remote servers the UID of the user. Default: true. Upstream feature gate: RemoteRequestHeaderUID */
  readonly sendsUid?: boolean;
  readonly certificate: () => ProxyCertificate;
  /** Calls back when the certificate changes, until `signal` aborts. If absent, the certificate never changes. */
  readonly followCertificate?: (changed: () => void, signal: AbortSignal) => void;
}

/** The outermost server of a chain. */
export interface Aggregator {
  readonly server: GenericServer;
  /** Resolves when every built-in group version has been available once; /readyz waits for it. */
  readonly registered: Promise<void>;
  /** Resolves when the APIServices that existed before the start are known. */
  readonly initiated: Promise<void>;
  /** Documents of remote servers, for the OpenAPI of the whole chain. */
  readonly openApi: RemoteOpenApiDocuments;
}

const API_SERVICES = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' };

/**
 * The server of APIServices, outermost in the chain. It serves discovery over all servers and passes requests for
 * groups of this process to `delegate`. The groups of `delegate` must already be installed.
 * Upstream: k8s.io/kube-aggregator/pkg/apiserver/apiserver.go, pkg/controlplane/apiserver/aggregator.go
 */
export function newAggregator(config: AggregatorConfig, delegate: DelegationTarget): Aggregator {
  const { provider, install, clock, logger } = config;
  const passing = new PassedRequests();
  const { adjustFilters } = config.generic;
  const generic = {
    ...config.generic,
    enableDiscovery: false,
    ...(config.peers && { adjustFilters: (filters: readonly Filter[]) => [...adjustFilters(filters), passing] }),
  };
  const server = newGenericServer(generic, { name: 'kube-aggregator', delegate });
  const definition = apiServiceDefinition(() => clock.now());
  server.installApiGroup({
    group: definition.group,
    versions: ['v1'],
    resources: [installedResource(definition, provider, install)],
  });
  const client = server.loopbackClient.resource<APIService>(API_SERVICES);
  const informer = createInformer({ client, clock, random: install.random, logger });
  server.disposables.use(informer);
  const metrics = new AvailabilityMetrics(config.generic.metrics, informer);
  const dependencies = { config, informer, client, metrics };
  const initiated = Promise.withResolvers<void>();
  const peers = addPeerProxy(server, dependencies);
  passing.peers = peers;
  const registration = builtInRegistration(delegate, dependencies);
  const { certificate, rejectRedirects, routeToEndpoints, sendsUid } = config.proxying;
  const views = serviceViews(server, config);
  const resolve = routeToEndpoints ? endpointResolver(views, install.random) : clusterIPResolver(views);
  const remotes = new RemoteApiServices({ resolve, certificate, rejectRedirects, sendsUid, logger });
  // In upstream's order, in which /livez lists their hooks.
  followCertificate(server, { ...dependencies, peers, remotes });
  addLocalAvailability(server, { ...dependencies, check: registration.check });
  addRemotes(server, { ...dependencies, peers, remotes, views, resolve }, initiated.resolve);
  addRegistration(server, { ...dependencies, ...registration });
  const openApi = addOpenApi(server, { informer, remotes, clock, logger });
  return { server, registered: registration.check.completed, initiated: initiated.promise, openApi };
}

/** Shared dependencies of the aggregator's controllers. */
interface Dependencies {
  readonly config: AggregatorConfig;
  readonly informer: Informer<APIService>;
  readonly client: ResourceClient<APIService>;
  readonly metrics: AvailabilityMetrics;
}

/** The innermost filter, before the server that it belongs to has its peers. */
class PassedRequests implements Filter {
  readonly name = 'peer-proxy';
  peers: Pick<PeerProxy, 'handlerFor'> | undefined = undefined;

  wrap(next: Handler): Handler {
    return (exchange) => (this.peers?.handlerFor(exchange) ?? next)(exchange);
  }
}

function addPeerProxy(server: GenericServer, { config, informer }: Dependencies): PeerProxy | undefined {
  const { peers, proxying, clock, definitions, delegated, install, logger } = config;
  if (peers === undefined) return undefined;
  const { metrics } = config.generic;
  return peers.add(server, {
    serverId: peers.serverId,
    ca: peers.ca,
    endpointOf: (id) => peers.endpointOf(id),
    certificate: proxying.certificate,
    served: mergedContainers(server.apiContainer, delegated),
    apiServices: informer,
    definitions,
    metrics,
    clock,
    logger: logger.named('peers'),
    random: install.random,
  });
}

/** The registration of APIServices for all that the servers of the chain serve. */
interface Registration {
  readonly registration: AutoRegistration;
  /** Fails until the built-in group versions are available. */
  readonly check: RegistrationCheck;
  readonly isBuiltIn: (groupVersion: GroupVersion) => boolean;
}

function builtInRegistration(delegate: DelegationTarget, { config, informer, client }: Dependencies): Registration {
  const { clock, logger } = config;
  const queueMetrics = createWorkQueueMetrics(config.generic.metrics, clock);
  const registration = new AutoRegistration({
    informer,
    client,
    clock,
    logger,
    queueMetrics: queueMetrics('autoregister'),
  });
  const priorityOf = localPriorities(config.extraGroupVersions ?? []);
  const builtIn = builtInApiServices(delegate.listedPaths(), priorityOf);
  for (const apiService of builtIn) registration.add(apiService);
  const check = new RegistrationCheck(builtIn.map(({ metadata }) => metadata.name ?? ''));
  return { registration, check, isBuiltIn: (groupVersion) => priorityOf(groupVersion) !== undefined };
}

function addLocalAvailability(
  server: GenericServer,
  { config, informer, client, metrics, check }: Dependencies & Pick<Registration, 'check'>,
): void {
  const { clock, logger } = config;
  const queueMetrics = createWorkQueueMetrics(config.generic.metrics, clock);
  server.addPostStartHook('start-kube-aggregator-informers', ({ signal }) => {
    check.follow(informer, signal);
  });
  server.addPostStartHook('apiservice-status-local-available-controller', ({ signal }) => {
    const queue = { queueMetrics: queueMetrics('LocalAvailabilityController') };
    runLocalAvailability({ informer, client, metrics, clock, logger, ...queue }, signal);
  });
}

function addRegistration(
  server: GenericServer,
  { config, registration, check, isBuiltIn }: Dependencies & Registration,
): void {
  const { logger, definitions } = config;
  server.addPostStartHook('kube-apiserver-autoregistration', ({ signal }) => {
    const run = async (): Promise<void> => {
      // Otherwise, APIServices of definitions not yet read would count as obsolete and be deleted.
      if (definitions !== undefined) await registerDefinitions({ definitions, registration, isBuiltIn }, signal);
      await registration.run(signal);
    };
    run().catch((error: unknown) => {
      if (signal.aborted) return;
      logger.error(
        error,
        'The registration of APIServices has failed, and is stopped until the server is started again',
      );
    });
  });
  server.addBootSequenceHealthChecks({ name: 'autoregister-completion', check: () => check.check() });
}

/** Extra groups come behind the built-in ones; the version that is named first is preferred. */
function localPriorities(
  extra: readonly GroupVersion[],
): (groupVersion: GroupVersion) => ApiServicePriority | undefined {
  const ranks = new Map(extra.map((groupVersion, index) => [apiServiceName(groupVersion), index]));
  return (groupVersion) => {
    const rank = ranks.get(apiServiceName(groupVersion));
    return (
      builtInPriority(groupVersion) ??
      (rank === undefined ? undefined : { group: 1_000, version: Math.max(1, 1_000 - rank) })
    );
  };
}

/** The remote servers, and the other servers of the store. */
interface RemoteDependencies extends Dependencies {
  readonly remotes: RemoteApiServices;
  readonly peers: PeerProxy | undefined;
}

/** Where the services of remote servers are. */
interface ServiceAddresses {
  readonly views: ReturnType<typeof serviceViews>;
  readonly resolve: ServiceResolver;
}

function followCertificate(server: GenericServer, { config, informer, remotes, peers }: RemoteDependencies): void {
  const follow = config.proxying.followCertificate;
  if (follow === undefined) return;
  server.addPostStartHook('aggregator-reload-proxy-client-cert', ({ signal }) => {
    follow(() => {
      for (const apiService of informer.list()) remotes.changed(apiService);
      peers?.renewCertificate();
    }, signal);
  });
}

/** Adds the proxy for remote servers, and discovery over all servers. */
function addRemotes(
  server: GenericServer,
  { config, informer, client, metrics, peers, remotes, views, resolve }: RemoteDependencies & ServiceAddresses,
  initiated: () => void,
): void {
  const { clock, logger, delegated } = config;
  const remote = new RemoteDiscovery({
    informer,
    getDocument: (apiService, path, options) => remotes.getDocument(apiService, path, options),
    clock,
    logger,
  });
  const { apiContainer } = server;
  const served = mergedContainers(apiContainer, delegated);
  const discoveryMetrics = config.discoveryMetrics ?? createDiscoveryMetrics(config.generic.metrics);
  const discovery = createAggregatorDiscovery({ informer, served, remote, logger, peers, metrics: discoveryMetrics });
  const own = createDiscovery({ ...config.generic.discovery, container: apiContainer, addresses: () => [], logger });
  server.addHandlerSource({
    handlerFor: (exchange) => {
      const { path } = exchange.request;
      const passed = remotes.handlerFor(path);
      if (passed !== undefined) return passed;
      if (exchange.context.requestInfo?.isResourceRequest || !path.startsWith('/apis')) return undefined;
      return discovery.handlerFor(path) ?? own.handlerFor(exchange);
    },
    listedPaths: () => discovery.listedPaths(),
  });
  server.addPostStartHook('apiservice-status-remote-available-controller', ({ signal }) => {
    const queueMetrics = createWorkQueueMetrics(config.generic.metrics, clock)('RemoteAvailabilityController');
    const { certificate } = config.proxying;
    const options = { ...views, informer, client, metrics, resolve, certificate, clock, logger, queueMetrics };
    runRemoteAvailability(options, signal);
  });
  server.addPostStartHook('apiservice-registration-controller', async ({ signal }) => {
    await informer.synced(signal);
    signal.addEventListener('abort', discovery.follow(), { once: true });
    const changed = (apiService: APIService): void => remotes.changed(apiService);
    const deleted = (apiService: APIService): void => remotes.removed(apiService);
    signal.addEventListener('abort', informer.subscribe({ added: changed, updated: changed, deleted }), { once: true });
    initiated();
  });
  server.addPostStartHook('apiservice-discovery-controller', ({ signal }) => remote.run(signal));
}

interface OpenApiDependencies extends Pick<Dependencies, 'informer'> {
  readonly remotes: RemoteApiServices;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Reads the OpenAPI documents of remote servers. */
function addOpenApi(server: GenericServer, { remotes, ...parts }: OpenApiDependencies): RemoteOpenApiDocuments {
  const getDocument: RemoteApiServices['getDocument'] = (...request) => remotes.getDocument(...request);
  const v2 = new RemoteSpecs({ ...parts, getDocument });
  const v3 = new RemoteOpenApi({ ...parts, getDocument, passTo: (apiService) => remotes.passTo(apiService) });
  server.addPostStartHook('apiservice-openapi-controller', ({ signal }) => v2.run(signal));
  server.addPostStartHook('apiservice-openapiv3-controller', ({ signal }) => v3.run(signal));
  return {
    urls: () => v3.urls(),
    handlerFor: (name) => v3.handlerFor(name),
    specs: () => v2.specs(),
    onChange: (listener) => {
      v2.onChange(() => listener('v2'));
      v3.onChange(() => listener('v3'));
    },
  };
}

/** Lazily created: informers start at their first use. */
function serviceViews(server: GenericServer, { clock, install, logger }: AggregatorConfig) {
  const view = <T extends KubeObject>(resource: GroupVersionResource): Informer<T> => {
    const client = server.loopbackClient.resource<T>(resource);
    const informer = createInformer({ client, clock, random: install.random, logger });
    server.disposables.use(informer);
    return informer;
  };
  return {
    services: view<Service>({ group: '', version: 'v1', resource: 'services' }),
    endpointSlices: view<EndpointSlice>({ group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' }),
  };
}
