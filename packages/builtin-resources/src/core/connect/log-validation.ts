import type { PodLogOptions } from '@apiserver/api/core/v1';
import {
  type FieldError,
  FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
} from '@apiserver/apimachinery/field';
import { validateNonnegative } from '@apiserver/apimachinery/validation';

/** The stream that has the output of both others. */
export const ALL_STREAMS = 'All';
const STREAMS = [ALL_STREAMS, 'Stderr', 'Stdout'];

/**
 * Validates the options of a log, with their defaults. `mayHaveStream`: the gate PodLogsQuerySplitStreams.
 * Upstream: ValidatePodLogOptions of pkg/apis/core/validation
 */
export function validatePodLogOptions(log: PodLogOptions, mayHaveStream: boolean): readonly FieldError[] {
  const { tailLines, limitBytes, sinceSeconds, sinceTime } = log;
  return [
    ...(tailLines === undefined ? [] : validateNonnegative(tailLines, FieldPath.of('tailLines'))),
    ...positive(limitBytes, 'limitBytes'),
    ...(sinceSeconds !== undefined && sinceTime !== undefined
      ? [fieldForbidden(FieldPath.of(''), 'at most one of `sinceTime` or `sinceSeconds` may be specified')]
      : positive(sinceSeconds, 'sinceSeconds')),
    ...(mayHaveStream ? streamErrors(log) : unexpectedStream(log)),
  ];
}

function unexpectedStream({ stream }: PodLogOptions): readonly FieldError[] {
  return stream === undefined ? [] : [fieldForbidden(FieldPath.of('stream'), 'may not be specified')];
}

function streamErrors({ stream = ALL_STREAMS, tailLines }: PodLogOptions): readonly FieldError[] {
  const ofOneStream = '`tailLines` and specific `stream` are mutually exclusive for now';
  return [
    ...(STREAMS.includes(stream) ? [] : [fieldNotSupported(FieldPath.of('stream'), stream, STREAMS)]),
    ...(stream === ALL_STREAMS || tailLines === undefined ? [] : [fieldForbidden(FieldPath.of(''), ofOneStream)]),
  ];
}

function positive(value: number | bigint | undefined, field: string): readonly FieldError[] {
  if (value === undefined || value >= 1) return [];
  return [fieldInvalid(FieldPath.of(field), value, 'must be greater than 0')];
}
