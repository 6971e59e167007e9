import { messageOf } from '@apiserver/apimachinery/errors';
import { parseDuration } from '@apiserver/apimachinery/values';
import { ControlPlaneError } from '../control-plane-error.js';
import { type FieldCheck, fieldError } from './check-fields.js';

/** Milliseconds, or a text such as `1m30s`. */
export type Duration = number | string;

/** Throws a ControlPlaneError for a duration that is invalid or negative. */
export function durationMilliseconds(duration: Duration): number {
  const milliseconds = typeof duration === 'number' ? duration : parsedMilliseconds(duration);
  if (milliseconds >= 0 && Number.isFinite(milliseconds)) return milliseconds;
  throw new ControlPlaneError(`${duration} is no duration`);
}

/** Milliseconds of a text such as `1m30s`. Throws a ControlPlaneError if it is none. */
export function parsedMilliseconds(duration: string): number {
  try {
    return Number(parseDuration(duration)) / 1e6;
  } catch (error) {
    throw new ControlPlaneError(messageOf(error), { cause: error });
  }
}

/** A `Duration`. */
export const duration: FieldCheck = (value, path) => {
  if (typeof value !== 'number' && typeof value !== 'string') {
    throw fieldError(path, 'must be milliseconds or a duration such as "1s"');
  }
  try {
    durationMilliseconds(value);
  } catch (error) {
    throw fieldError(path, messageOf(error));
  }
};
