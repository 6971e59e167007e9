import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';

const COMPONENT = /^[A-Za-z.\-_0-9+]{1,14}$/;

/** Upstream: validateTimeZone of pkg/apis/batch/validation/validation.go */
export function validateTimeZone(timeZone: string, path: FieldPath): FieldError[] {
  if (timeZone === '') return [fieldInvalid(path, timeZone, 'timeZone must be nil or non-empty string')];
  const unknown = fieldInvalid(path, timeZone, `unknown time zone ${timeZone}`);
  const isSound = (part: string) => part !== '.' && part !== '..' && !part.startsWith('-') && COMPONENT.test(part);
  if (!timeZone.split('/').every(isSound)) return [unknown];
  if (timeZone.toLowerCase() === 'local') {
    const message = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    return [fieldInvalid(path, timeZone, message)];
  }
  return isKnown(timeZone) ? [] : [unknown];
}

function isKnown(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
