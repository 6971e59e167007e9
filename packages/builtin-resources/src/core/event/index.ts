import { Event } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { eventColumns } from './columns.js';
import { eventVersion } from './events-version.js';
import { eventFieldNames, eventFields } from './selectable-fields.js';
import { eventStrategy } from './strategy.js';

/** Events: reports about other objects. */
export const eventDeclaration = defineResource<KubeObject>({
  shortNames: ['ev'],
  versions: [{ schema: Event }],
  otherVersions: [eventVersion],
  strategy: eventStrategy,
  columns: eventColumns,
  selectableFieldNames: eventFieldNames,
  selectableFields: eventFields,
});

/** The kind for one server, with the time to live of Events in seconds; 0 for no expiry. Upstream flag: --event-ttl */
export function events(ttlSeconds: number): ResourceDefinition<KubeObject> {
  return { ...eventDeclaration, storeHooks: { ttl: () => ttlSeconds } };
}
