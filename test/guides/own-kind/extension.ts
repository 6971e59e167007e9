import { createApiServer, RecommendedOptions } from '@apiserver/generic-server';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { boats } from './boat.ts';

const options = RecommendedOptions.parse(process.argv.slice(2));
const api = await createApiServer({ ...options, groups: [{ resources: [boats] }], storage: createMemoryStore() });
console.log(await api.listen());
