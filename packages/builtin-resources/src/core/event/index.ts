import { Event } from '@apiserver/api/core/v1';
import type { ResourceDefinition, ResourceVersionDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { eventVersion } from '../../events/event/version.js';
import { eventColumns } from './columns.js';
import { eventFieldNames, eventFields } from './selectable-fields.js';
import { eventStrategy } from './strategy.js';

/** Events: reports about other objects. */
export const eventDeclaration = defineResource<Event>({
  shortNames: ['ev'],
  versions: [{ schema: Event }],
  otherVersions: [eventVersion as ResourceVersionDefinition<Event>],
  strategy: eventStrategy,
  columns: eventColumns,
  selectableFieldNames: eventFieldNames,
  selectableFields: eventFields,
});

/** The kind for one server, with the time to live of Events in seconds; 0 for no expiry. Upstream flag: --event-ttl */
export function events(ttlSeconds: number): ResourceDefinition<Event> {
  return { ...eventDeclaration, storeHooks: { ttl: () => ttlSeconds } };
}
