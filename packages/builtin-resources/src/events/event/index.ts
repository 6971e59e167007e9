import type { KubeObject } from '@apiserver/apimachinery';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { eventVersion } from '../../core/event/events-version.js';
import { eventDeclaration as coreEventDeclaration, events as coreEvents } from '../../core/event/index.js';
import { eventFieldLabels } from './field-labels.js';

/** Core Events in the newer form of their own group. */
export const eventDeclaration = defineResource<KubeObject>({
  shortNames: coreEventDeclaration.shortNames,
  versions: [eventVersion],
  storedAs: coreEventDeclaration,
  strategy: coreEventDeclaration.strategy,
  columns: coreEventDeclaration.columns,
  selectableFieldNames: Object.keys(eventFieldLabels),
  selectableFieldLabels: eventFieldLabels,
});

/** The kind for one server, with the time to live of Events in seconds; 0 for no expiry. Upstream flag: --event-ttl */
export function events(ttlSeconds: number): ResourceDefinition<KubeObject> {
  return { ...eventDeclaration, storedAs: coreEvents(ttlSeconds) };
}
