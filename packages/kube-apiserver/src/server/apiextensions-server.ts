import { type ApiextensionsServer, newApiextensionsServer } from '@apiserver/apiextensions';
import type { Handler } from '@apiserver/apiserver-contracts';
import { type Completed, newEmptyDelegate } from '@apiserver/generic-server';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';
import { webhookServiceResolver } from '../config/webhook-services.js';
import { transformersOf } from '../storage/encryption-at-rest.js';
import { installOptionsOf } from './group-dependencies.js';

/**
 * The innermost server: requests that no built-in group handles may be for a custom resource. `end` handles unknown
 * requests.
 */
export function apiextensionsServer(
  config: Completed<CompletedKubeApiServerConfig>,
  end: Handler,
): ApiextensionsServer {
  const { generic, storage } = config;
  const { provider, stores, root: storagePrefix, metrics, watchCache, listsPast } = storage;
  const { clock, codecFor } = generic;
  const install = installOptionsOf(config);
  const logger = generic.logger.named('apiextensions');
  const serveDefinitions = config.enabled.isEnabled({
    group: 'apiextensions.k8s.io',
    version: 'v1',
    resource: 'customresourcedefinitions',
  });
  return newApiextensionsServer(
    {
      generic,
      provider,
      store: stores.main,
      storagePrefix,
      clock,
      codecFor,
      install,
      logger,
      serverCount: config.services.apiserverCount,
      serveDefinitions,
      resolveService: webhookServiceResolver(generic, {
        routeToEndpoints: config.aggregator.routeToEndpoints,
        random: config.randomInt,
      }),
      transformerFor: transformersOf(storage),
      uncached: () => !watchCache,
      listsPast,
      ...metrics,
    },
    newEmptyDelegate(end),
  );
}
