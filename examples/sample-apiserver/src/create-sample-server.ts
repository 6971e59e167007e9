import { randomInt, randomUUID } from 'node:crypto';
import { systemClock } from '@apiserver/apimachinery/clock';
import { compileKind } from '@apiserver/apimachinery/codec';
import type { Logger } from '@apiserver/apiserver-contracts';
import { createOpenApi } from '@apiserver/endpoints-installer';
import {
  completeGenericServerConfig,
  type GenericServer,
  type GenericServerConfig,
  newGenericServer,
  newGenericServerConfig,
  newServerContext,
} from '@apiserver/generic-server';
import { createStorageProvider, installedResource, type KeyValueStore } from '@apiserver/registry-store';
import { flunders } from './flunder.js';

/** What a sample server is given. */
export interface SampleServerOptions {
  /** Where flunders are kept; disposed with the server. */
  readonly store: KeyValueStore;
  readonly logger: Logger;
  /** Writes the port, who may come in and who may do what into the server's config. */
  readonly configure: (config: GenericServerConfig) => void;
}

/**
 * A server of flunders: a generic server, a storage, one installed resource and its OpenAPI. This is all that a server of
 * kinds of one's own takes; it can run alone or behind another server.
 */
export function createSampleServer({ store, logger, configure }: SampleServerOptions): GenericServer {
  const config = newGenericServerConfig(newServerContext({ logger }));
  configure(config);
  const server = newGenericServer(completeGenericServerConfig(config), { name: 'sample-apiserver' });
  const provider = createStorageProvider({ store, clock: systemClock, codecFor: compileKind });
  server.disposables.use(store);
  server.disposables.use(provider);
  server.installApiGroup({
    group: flunders.group,
    versions: flunders.versions.map(({ version }) => version),
    resources: [installedResource(flunders, provider, { clock: systemClock, random: randomInt, newUid: randomUUID })],
  });
  server.addHandlerSource(createOpenApi({ container: server.apiContainer, logger, info: { title: 'Sample' } }));
  server.addPostStartHook('storage-ready', ({ signal }) => provider.ready(signal));
  return server;
}
