import type { Event } from '@apiserver/api/core/v1';

/** Parts of the object that an event is about. */
const OBJECT_FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

/** What events can be selected by. */
export const eventFieldNames: readonly string[] = [
  ...OBJECT_FIELDS.map((field) => `involvedObject.${field}`),
  ...['reason', 'reportingComponent', 'source', 'type'],
];

/** Upstream: ToSelectableFields of pkg/registry/core/event/strategy.go */
export function eventFields({ involvedObject, reason, reportingComponent, source, type }: Event) {
  return {
    ...Object.fromEntries(OBJECT_FIELDS.map((field) => [`involvedObject.${field}`, involvedObject[field] ?? ''])),
    reason: reason ?? '',
    reportingComponent: reportingComponent ?? '',
    source: source.component || (reportingComponent ?? ''),
    type: type ?? '',
  };
}
