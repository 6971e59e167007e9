import type { Job, JobSpec } from '@apiserver/api/batch/v1';
import { applyPodSpecDefaults } from '../../core/pod-spec/pod-spec-defaults.js';

const RETRIES = 6;
const MAX_INT32 = 2 ** 31 - 1;

/** Mutates. Upstream: SetDefaults_Job of pkg/apis/batch/v1/defaults.go */
export function applyJobDefaults(job: Job): void {
  const { spec } = job;
  // One run, if neither is given.
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? RETRIES : MAX_INT32;
  labelAsTemplate(job);
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
  applyJobSpecDefaults(spec);
}

/** Defaults that a job's spec also has in a template. Mutates. */
export function applyJobSpecDefaults(spec: JobSpec): void {
  for (const { onPodConditions } of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of onPodConditions ?? []) pattern.status ||= 'True';
  }
  applyPodSpecDefaults(spec.template.spec);
}

/**
 * A job without labels shares those of its pods, including labels that its selector adds. Mutates.
 * Upstream: SetDefaults_Job, where both fields hold one map
 */
export function labelAsTemplate({ metadata, spec }: Job): void {
  const { labels } = spec.template.metadata;
  if (labels !== undefined && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels;
}
