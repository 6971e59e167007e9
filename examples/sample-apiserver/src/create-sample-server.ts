import { type ApiServer, type ApiServerOptions, createApiServer, RecommendedOptions } from '@apiserver/generic-server';
import { flunders } from './flunder.js';

/** An extension server of flunders. The flags say where it listens, and which core server it asks who may do what. */
export function createSampleServer(
  flags: readonly string[],
  { storage, logger }: Pick<ApiServerOptions, 'storage' | 'logger'>,
): Promise<ApiServer> {
  const options = RecommendedOptions.parse(flags);
  const groups = [{ resources: [flunders] }];
  return createApiServer({ ...options, name: 'sample-apiserver', groups, storage, ...(logger && { logger }) });
}
