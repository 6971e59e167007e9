import { consoleLogger, createApiServer } from '@apiserver/generic-server';
import { openLmdbStore } from '@apiserver/registry-store/lmdb';
import { boats } from './boat.ts';

await using api = await createApiServer({
  name: 'harbour',
  groups: [{ resources: [boats] }],
  storage: await openLmdbStore({ directory: 'harbour-data' }),
  logger: consoleLogger({ verbosity: 2 }),
});
console.log(await api.listen()); // https://127.0.0.1:40123
api.writeKubeconfig('harbour.kubeconfig');
await api.ended;
