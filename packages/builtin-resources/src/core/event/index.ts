import { Event } from '@apiserver/api/core/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { eventColumns } from './columns.js';
import { eventFieldNames, eventFields } from './selectable-fields.js';
import { eventStrategy } from './strategy.js';

/** Events: what happened to an object. */
export const eventDeclaration = defineResource<Event>({
  shortNames: ['ev'],
  versions: [{ schema: Event }],
  strategy: eventStrategy,
  columns: eventColumns,
  selectableFieldNames: eventFieldNames,
  selectableFields: eventFields,
});

/** The kind for one server, which keeps Events for so long; 0 for ever. Upstream flag: --event-ttl */
export function events(ttlSeconds: number): ResourceDefinition<Event> {
  return { ...eventDeclaration, storeHooks: { ttl: () => ttlSeconds } };
}
