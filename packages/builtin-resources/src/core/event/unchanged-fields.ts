import type { Event, ObjectReference } from '@apiserver/api/core/v1';
import { type FieldError, FieldPath, printedAsJson } from '@apiserver/apimachinery/field';
import { validateImmutableField } from '@apiserver/apimachinery/validation';

/**
 * Everything but metadata and series is immutable.
 * Upstream: ValidateEventUpdate of pkg/apis/core/validation/events.go
 */
export function validateUnchangedFields(event: Event, old: Event): FieldError[] {
  const before = fieldsOf(old);
  return fieldsOf(event).flatMap(([field, value], i) =>
    validateImmutableField(value, before[i]?.[1] ?? null, FieldPath.of(field), printedAsJson(value)),
  );
}

/**
 * In upstream's order, with the reason twice. Structs are formatted as upstream's internal types, with Go's field
 * names.
 */
function fieldsOf(event: Event): (readonly [field: string, value: unknown])[] {
  const { involvedObject, related, source } = event;
  const reason = ['reason', event.reason ?? ''] as const;
  return [
    ['involvedObject', printedReference(involvedObject)],
    reason,
    ['message', event.message ?? ''],
    ['source', { Component: source.component ?? '', Host: source.host ?? '' }],
    ['firstTimestamp', event.firstTimestamp ?? null],
    ['lastTimestamp', event.lastTimestamp ?? null],
    ['count', event.count ?? 0],
    reason,
    ['type', event.type ?? ''],
    ['eventTime', event.eventTime ?? null],
    ['action', event.action ?? ''],
    ['related', related === undefined ? null : printedReference(related)],
    ['reportingController', event.reportingComponent ?? ''],
    ['reportingInstance', event.reportingInstance ?? ''],
  ];
}

function printedReference(reference: ObjectReference): object {
  return {
    Kind: reference.kind ?? '',
    Namespace: reference.namespace ?? '',
    Name: reference.name ?? '',
    UID: reference.uid ?? '',
    APIVersion: reference.apiVersion ?? '',
    ResourceVersion: reference.resourceVersion ?? '',
    FieldPath: reference.fieldPath ?? '',
  };
}
