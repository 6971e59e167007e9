import { openLmdbStore } from '@apiserver/registry-store/lmdb';
import { startHarbour } from './harbour.ts';

await using api = await startHarbour(await openLmdbStore({ directory: 'harbour-data' }), 'harbour.kubeconfig');
process.once('SIGINT', () => void api[Symbol.asyncDispose]());
await api.ended;
