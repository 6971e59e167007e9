import type { JobSpec } from '@apiserver/api/batch/v1';
import type { FieldPath } from '@apiserver/apimachinery/field';
import { podTemplateWarnings } from '../../core/pod-spec/warnings/pod-warnings.js';

const MANY_COMPLETIONS = 100_000;
const MANY_AT_ONCE = 10_000;

/** Warnings about a job's spec at `path`. Upstream: WarningsForJobSpec of pkg/api/job/warnings.go */
export function jobSpecWarnings(spec: JobSpec, path: FieldPath): readonly string[] {
  return [...sizeWarnings(spec, path), ...podTemplateWarnings(spec.template, path.child('template'))];
}

function sizeWarnings({ completionMode, completions = 0, parallelism = 0 }: JobSpec, path: FieldPath): string[] {
  if (completionMode !== 'Indexed' || completions <= MANY_COMPLETIONS || parallelism <= MANY_AT_ONCE) return [];
  return [
    `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
  ];
}
