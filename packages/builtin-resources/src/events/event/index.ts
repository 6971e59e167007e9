import { Event } from '@apiserver/api/events/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { defineResource } from '@apiserver/resource-kit';
import { events as coreEvents } from '../../core/event/index.js';
import { fromCoreEvent, toCoreEvent } from './conversion.js';
import { eventFieldLabels } from './field-labels.js';

/** The Events of the core group, in the form that came after them. */
export const events = defineResource<KubeObject>({
  shortNames: coreEvents.shortNames,
  versions: [{ schema: Event, toHub: toCoreEvent, fromHub: fromCoreEvent }],
  storedAs: coreEvents,
  strategy: coreEvents.strategy,
  columns: coreEvents.columns,
  selectableFieldNames: Object.keys(eventFieldLabels),
  selectableFieldLabels: eventFieldLabels,
});
