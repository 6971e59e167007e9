import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { loadLocation } from '@apiserver/apimachinery/values';

const COMPONENT = /^[A-Za-z.\-_0-9+]{1,14}$/;

/** Upstream: validateTimeZone of pkg/apis/batch/validation/validation.go */
export function validateTimeZone(timeZone: string, path: FieldPath): FieldError[] {
  if (timeZone === '') return [fieldInvalid(path, timeZone, 'timeZone must be nil or non-empty string')];
  const isSound = (part: string) => part !== '.' && part !== '..' && !part.startsWith('-') && COMPONENT.test(part);
  if (!timeZone.split('/').every(isSound)) return [fieldInvalid(path, timeZone, unknownZone(timeZone))];
  const message = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
  const errors = timeZone.toLowerCase() === 'local' ? [fieldInvalid(path, timeZone, message)] : [];
  const fault = locationFault(timeZone);
  return fault === undefined ? errors : [...errors, fieldInvalid(path, timeZone, fault)];
}

/** The reason why there is no such time zone; undefined if there is one. */
export function locationFault(name: string): string | undefined {
  const location = loadLocation(name);
  return 'fault' in location ? location.fault : undefined;
}

function unknownZone(name: string): string {
  return `unknown time zone ${name}`;
}
