import type { Event } from '@apiserver/api/core/v1';

/** Fields of the object of an event. */
const OBJECT_FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

/** The field selectors of events. */
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
