import type { RestStorage } from '@apiserver/apiserver-contracts';

/** What a storage must have for a verb. */
const needs: Readonly<Record<string, readonly (keyof RestStorage)[]>> = {
  get: ['get'],
  list: ['list'],
  watch: ['watch'],
  create: ['create'],
  update: ['update'],
  patch: ['get', 'update'],
  delete: ['delete'],
  deletecollection: ['deleteCollection'],
};

/** Those of the declared verbs that the storage can serve, in the order declared. */
export function servedVerbs(declared: readonly string[], storage: RestStorage): readonly string[] {
  return declared.filter((verb) => needs[verb]?.every((member) => storage[member] !== undefined));
}
