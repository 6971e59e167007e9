import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import type { APIService } from '@apiserver/api/apiregistration/v1';
import type { Informer, Logger, ResourceClient } from '@apiserver/apiserver-contracts';
import { createDiscovery, type InstalledView, mergedContainers } from '@apiserver/endpoints-installer';
import {
  type Completed,
  type CompletedGenericServerConfig,
  type DelegationTarget,
  type GenericServer,
  newGenericServer,
} from '@apiserver/generic-server';
import {
  type Clock,
  createInformer,
  type InstallOptions,
  installedResource,
  type StorageProvider,
} from '@apiserver/registry-store';
import { apiServiceDefinition } from '../api-service/definition.js';
import { runLocalAvailability } from '../availability/local-availability.js';
import { createAggregatorDiscovery } from '../discovery/aggregator-discovery.js';
import { AutoRegistration } from '../registration/auto-registration.js';
import { builtInApiServices } from '../registration/built-in-api-services.js';
import { builtInPriority } from '../registration/built-in-priorities.js';
import { registerDefinitions } from '../registration/register-definitions.js';
import { RegistrationCheck } from '../registration/registration-check.js';

/** What the aggregator is made of. */
export interface AggregatorConfig {
  readonly generic: Completed<CompletedGenericServerConfig>;
  /** Of the APIServices; disposed by who made it. */
  readonly provider: StorageProvider;
  readonly clock: Clock;
  readonly install: InstallOptions;
  readonly logger: Logger;
  /** What the servers behind this one serve. */
  readonly delegated: InstalledView;
  /** The definitions whose group versions get an APIService; undefined: there are none. */
  readonly definitions: Informer<CustomResourceDefinition> | undefined;
}

/** The outermost server of a chain. */
export interface Aggregator {
  readonly server: GenericServer;
  /** Resolves when every built-in group version has been seen available: /readyz says so from then on. */
  readonly registered: Promise<void>;
}

const API_SERVICES = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' };

/**
 * The server of APIServices, at the head of the chain: it answers for discovery as a whole and hands everything that is
 * served in this process on to `delegate`, whose groups must be installed by now.
 * Upstream: k8s.io/kube-aggregator/pkg/apiserver/apiserver.go, pkg/controlplane/apiserver/aggregator.go
 */
export function newAggregator(config: AggregatorConfig, delegate: DelegationTarget): Aggregator {
  const { provider, install, clock, logger } = config;
  const generic = { ...config.generic, enableDiscovery: false };
  const server = newGenericServer(generic, { name: 'kube-aggregator', delegate });
  const definition = apiServiceDefinition(() => clock.now());
  server.installApiGroup({
    group: definition.group,
    versions: ['v1'],
    resources: [installedResource(definition, provider, install)],
  });
  const client = server.loopbackClient.resource<APIService>(API_SERVICES);
  const informer = createInformer({ client, clock, random: install.random, logger });
  server.own(informer);
  const check = addRegistration(server, { config, delegate, informer, client });
  addDiscovery(server, config, informer);
  return { server, registered: check.completed };
}

/** What the controllers of one aggregator share. */
interface Parts {
  readonly config: AggregatorConfig;
  readonly delegate: DelegationTarget;
  readonly informer: Informer<APIService>;
  readonly client: ResourceClient<APIService>;
}

function addRegistration(server: GenericServer, { config, delegate, informer, client }: Parts): RegistrationCheck {
  const { clock, logger, definitions } = config;
  const registration = new AutoRegistration({ informer, client, clock, logger });
  const builtIn = builtInApiServices(delegate.listedPaths());
  for (const apiService of builtIn) registration.add(apiService);
  const check = new RegistrationCheck(builtIn.map(({ metadata }) => metadata.name ?? ''));
  server.addPostStartHook('start-kube-aggregator-informers', ({ signal }) => {
    check.follow(informer, signal);
  });
  server.addPostStartHook('apiservice-status-local-available-controller', ({ signal }) => {
    runLocalAvailability({ informer, client, clock, logger }, signal);
  });
  server.addPostStartHook('kube-apiserver-autoregistration', ({ signal }) => {
    const isBuiltIn = (groupVersion: Parameters<typeof builtInPriority>[0]) =>
      builtInPriority(groupVersion) !== undefined;
    const run = async (): Promise<void> => {
      // Else the APIServices of definitions that are not read yet would be taken for left over.
      if (definitions !== undefined) await registerDefinitions({ definitions, registration, isBuiltIn }, signal);
      await registration.run(signal);
    };
    run().catch((error: unknown) => {
      if (!signal.aborted) logger.error(error, 'Registration of APIServices ended');
    });
  });
  server.addBootSequenceHealthChecks({ name: 'autoregister-completion', check: () => check.check() });
  return check;
}

function addDiscovery(
  server: GenericServer,
  { delegated, logger }: AggregatorConfig,
  informer: Informer<APIService>,
): void {
  const { apiContainer } = server;
  const remote = { groups: () => [], onChange: () => {} };
  const served = mergedContainers(apiContainer, delegated);
  const discovery = createAggregatorDiscovery({ informer, served, remote, logger });
  const own = createDiscovery({ container: apiContainer, addresses: () => [], logger });
  server.addHandlerSource({
    handlerFor: (exchange) => {
      const { path } = exchange.request;
      if (exchange.context.requestInfo?.isResourceRequest || !path.startsWith('/apis')) return undefined;
      return discovery.handlerFor(path) ?? own.handlerFor(exchange);
    },
    listedPaths: () => discovery.listedPaths(),
  });
  server.addPostStartHook('apiservice-registration-controller', async ({ signal }) => {
    await informer.synced(signal);
    signal.addEventListener('abort', discovery.follow(), { once: true });
  });
}
