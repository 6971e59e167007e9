import type { PodLogOptions } from '@apiserver/api/core/v1';
import { type FieldError, FieldPath, fieldForbidden, fieldInvalid } from '@apiserver/apimachinery/field';
import { validateNonnegative } from '@apiserver/apimachinery/validation';

/**
 * Validates the options of a log. A stream cannot be selected.
 * Upstream: ValidatePodLogOptions; feature gate PodLogsQuerySplitStreams, off
 */
export function validatePodLogOptions(log: PodLogOptions): readonly FieldError[] {
  const { tailLines, limitBytes, sinceSeconds, sinceTime, stream } = log;
  return [
    ...(tailLines === undefined ? [] : validateNonnegative(tailLines, FieldPath.of('tailLines'))),
    ...positive(limitBytes, 'limitBytes'),
    ...(sinceSeconds !== undefined && sinceTime !== undefined
      ? [fieldForbidden(FieldPath.of(''), 'at most one of `sinceTime` or `sinceSeconds` may be specified')]
      : positive(sinceSeconds, 'sinceSeconds')),
    ...(stream === undefined ? [] : [fieldForbidden(FieldPath.of('stream'), 'may not be specified')]),
  ];
}

function positive(value: number | bigint | undefined, field: string): readonly FieldError[] {
  if (value === undefined || value >= 1) return [];
  return [fieldInvalid(FieldPath.of(field), value, 'must be greater than 0')];
}
