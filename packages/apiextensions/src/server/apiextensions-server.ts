import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { once } from '@apiserver/apimachinery/lazy';
import type { Informer } from '@apiserver/apiserver-contracts';
import { createWorkQueueMetrics } from '@apiserver/component-base/work-queue';
import {
  type Completed,
  type CompletedGenericServerConfig,
  type DelegationTarget,
  type GenericServer,
  newGenericServer,
} from '@apiserver/generic-server';
import { createInformer, installedResource, type StorageProvider } from '@apiserver/registry-store';
import type { ServiceResolver, WebhookClients } from '@apiserver/webhook';
import { apiApprovalController } from '../controllers/api-approval-controller.js';
import { type DefinitionClient, definitionClient } from '../controllers/definition-client.js';
import { type DefinitionController, runController } from '../controllers/definition-queue.js';
import { establishingController } from '../controllers/establishing-controller.js';
import { finalizingController } from '../controllers/finalizing-controller.js';
import { namingController } from '../controllers/naming-controller.js';
import { nonStructuralSchemaController } from '../controllers/non-structural-schema-controller.js';
import { createConversionMetrics } from '../conversion/conversion-metrics.js';
import { customResourceDefinitions } from '../custom-resource-definition/definition.js';
import { ruleMetrics } from '../rules/rule-metrics.js';
import { CustomResources, type CustomStorageOptions } from './custom-resources.js';
import { DefinitionChanges } from './definition-changes.js';

/** Configuration of the server of custom resources. */
export interface ApiextensionsConfig extends CustomStorageOptions {
  readonly generic: Completed<CompletedGenericServerConfig>;
  /** Storage of the definitions. */
  readonly provider: StorageProvider;
  /** Finds the services of conversion webhooks. Default: by their names in DNS, as upstream. */
  readonly resolveService?: ServiceResolver;
  /**
   * Number of servers that share the store. With several, a definition is established five seconds after its names are
   * accepted. Default: 1. Upstream flag: --apiserver-count
   */
  readonly serverCount?: number;
  /** False to serve no definitions. Default: true. Upstream flag: --runtime-config */
  readonly serveDefinitions?: boolean;
}

/** The server, with its view of the definitions. */
export interface ApiextensionsServer {
  readonly server: GenericServer;
  /** The informer of definitions, for other users; the server disposes it. Undefined if definitions are not served. */
  readonly definitions: Informer<CustomResourceDefinition> | undefined;
  /** Resolves when the definitions that existed before the start are served. */
  readonly synced: Promise<void>;
}

/**
 * The server of CustomResourceDefinitions and of their resources. Its controllers run as post-start hooks of the
 * chain and use the outermost server.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go
 */
export function newApiextensionsServer(config: ApiextensionsConfig, delegate: DelegationTarget): ApiextensionsServer {
  const server = newGenericServer(config.generic, { name: 'apiextensions-apiserver', delegate });
  if (config.serveDefinitions === false) return { server, definitions: undefined, synced: Promise.resolve() };
  const synced = Promise.withResolvers<void>();
  return { server, definitions: serveDefinitions(server, config, synced), synced: synced.promise };
}

function serveDefinitions(
  server: GenericServer,
  config: ApiextensionsConfig,
  started: PromiseWithResolvers<void>,
): Informer<CustomResourceDefinition> {
  const { provider, install, clock, logger } = config;
  server.installApiGroup({
    group: 'apiextensions.k8s.io',
    versions: ['v1'],
    resources: [installedResource(customResourceDefinitions, provider, install)],
  });
  const { cbor, unsafeDeletion = false, metrics, audit, tracer } = config.generic;
  const isObserved = audit !== undefined || tracer !== undefined;
  const resources = new CustomResources({
    ...config,
    cbor,
    unsafeDeletion,
    isObserved,
    container: server.apiContainer,
    webhooks: webhookClients(config),
    conversionMetrics: createConversionMetrics(metrics),
    ruleObserver: ruleMetrics(metrics),
  });
  const changes = new DefinitionChanges(resources, logger);
  const client = definitionClient(server.loopbackClient, clock);
  const unused = (ready: Promise<void>) => provider.unused(customResourceDefinitions, ready);
  const informer = createInformer({ client: client.resource, clock, random: install.random, logger, unused });
  server.disposables.use(resources);
  server.disposables.use(informer);
  server.addPostStartHook('start-apiextensions-informers', async ({ signal }) => {
    await informer.synced(signal);
    if (informer.list().length > 0) await changes.load();
    informer.subscribe({
      added: (definition) => changes.changed(definition),
      updated: (definition) => changes.changed(definition),
      deleted: (definition) => changes.removed(definition),
    });
    started.resolve();
  });
  server.addPostStartHook('start-apiextensions-controllers', async ({ signal }) => {
    await started.promise;
    runControllers(config, { resources, changes, informer, client }, signal);
  });
  server.addPostStartHook('crd-informer-synced', () => started.promise);
  return informer;
}

/** The definitions of a server, and what it serves of them. */
interface Definitions {
  readonly resources: CustomResources;
  readonly changes: DefinitionChanges;
  readonly informer: Informer<CustomResourceDefinition>;
  readonly client: DefinitionClient;
}

function runControllers(
  { clock, logger, generic, serverCount = 1 }: ApiextensionsConfig,
  { resources, changes, informer, client }: Definitions,
  signal: AbortSignal,
): void {
  const storageOf = (definition: CustomResourceDefinition) => resources.storageOf(definition);
  const hasOtherServers = serverCount > 1;
  const controllers: readonly DefinitionController[] = [
    namingController(informer, client, (definition) => !hasOtherServers && changes.serves(definition)),
    establishingController(client, (definition) => storageOf(definition) !== undefined, hasOtherServers),
    nonStructuralSchemaController(informer, client),
    apiApprovalController(client),
    finalizingController({ client, clock, storageOf }),
  ];
  const queueMetrics = createWorkQueueMetrics(generic.metrics, clock);
  for (const controller of controllers) {
    const options = { informer, clock, logger, signal, metrics: queueMetrics(controller.name) };
    runController(changes.before(controller), options);
  }
}

/** Makes the clients of conversion webhooks on first use: a server without webhooks does not load them. */
function webhookClients({
  clock,
  generic,
  resolveService = nameInDNS,
}: ApiextensionsConfig): () => Promise<WebhookClients> {
  const { egress, loopback, restClientMetrics } = generic;
  return once(async () => {
    const webhooks = await import('@apiserver/webhook');
    const observer = restClientMetrics.webhooks;
    const dialers = { service: egress?.('cluster'), url: egress?.('controlplane') };
    return new webhooks.WebhookClients({ resolveService, clock, observer, dialers, postToServer: loopback.post });
  });
}

/** Upstream: defaultServiceResolver of k8s.io/apiserver/pkg/util/webhook/serviceresolver.go */
const nameInDNS: ServiceResolver = ({ namespace, name, port }) => ({ hostname: `${name}.${namespace}.svc`, port });
