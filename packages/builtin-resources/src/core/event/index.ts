import { Event } from '@apiserver/api/core/v1';
import { defineResource } from '@apiserver/resource-kit';
import { eventColumns } from './columns.js';
import { eventFieldNames, eventFields } from './selectable-fields.js';
import { eventStrategy } from './strategy.js';

/** How long an event is kept. Upstream: --event-ttl */
const TTL_SECONDS = 60 * 60;

/** Events: what happened to an object. */
export const events = defineResource<Event>({
  shortNames: ['ev'],
  versions: [{ schema: Event }],
  strategy: eventStrategy,
  columns: eventColumns,
  selectableFieldNames: eventFieldNames,
  selectableFields: eventFields,
  storeHooks: { ttl: () => TTL_SECONDS },
});
