import type { Event } from '@apiserver/api/core/v1';
import { type FieldError, FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateLegacyEvent } from './legacy-validation.js';
import { validateUnchangedFields } from './unchanged-fields.js';

const UNSET = 'needs to be unset';

/** `strict`: the current rules, which apply in events.k8s.io. Upstream: pkg/apis/core/validation/events.go */
export function validateEventCreate(event: Event, strict: boolean): readonly FieldError[] {
  const errors = validateLegacyEvent(event, strict);
  if (!strict) return errors;
  return [
    ...errors,
    ...validateBuiltInObjectMeta(event.metadata, { namespaced: true }),
    ...validateSeries(event),
    ...(event.eventTime ? [] : [fieldRequired(FieldPath.of('eventTime'), '')]),
    ...validateType(event.type ?? ''),
    ...validateOutdatedFields(event),
  ];
}

/** Upstream: ValidateEventUpdate */
export function validateEventUpdate(event: Event, old: Event, strict: boolean): readonly FieldError[] {
  const errors = validateLegacyEvent(event, strict);
  if (!strict) return errors;
  return [
    ...errors,
    ...validateBuiltInObjectMetaUpdate(event.metadata, old.metadata),
    ...(equalJson(event.series ?? null, old.series ?? null) ? [] : validateSeries(event)),
    ...validateUnchangedFields(event, old),
  ];
}

function validateSeries({ series }: Event): FieldError[] {
  if (series === undefined) return [];
  const isSeries = (series.count ?? 0) >= 2;
  return [
    ...(isSeries ? [] : [fieldInvalid(FieldPath.of('series.count'), '', 'should be at least 2')]),
    ...(series.lastObservedTime ? [] : [fieldRequired(FieldPath.of('series.lastObservedTime'), '')]),
  ];
}

function validateType(type: string): FieldError[] {
  if (type === 'Normal' || type === 'Warning') return [];
  return [fieldInvalid(FieldPath.of('type'), '', `has invalid value: ${type}`)];
}

/** Fields that only events of the old API have. */
function validateOutdatedFields({ firstTimestamp, lastTimestamp, count, source }: Event): FieldError[] {
  const set = {
    firstTimestamp: Boolean(firstTimestamp),
    lastTimestamp: Boolean(lastTimestamp),
    count: Boolean(count),
    source: Boolean(source.component || source.host),
  };
  return Object.entries(set).flatMap(([field, isSet]) => (isSet ? [fieldInvalid(FieldPath.of(field), '', UNSET)] : []));
}
