import type { Job } from '@apiserver/api/batch/v1';

export const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';
export const JOB_NAME = 'batch.kubernetes.io/job-name';
/** The labels before they had a prefix. */
export const LEGACY_CONTROLLER_UID = 'controller-uid';
export const LEGACY_JOB_NAME = 'job-name';

/**
 * Labels the pods of a job with its name and UID, and selects them by UID. Values of the user stay, and validation
 * refuses them. Mutates.
 * Upstream: generateSelector of pkg/registry/batch/job/strategy.go
 */
export function generateSelector({ metadata, spec }: Job): void {
  const { uid = '', name = '' } = metadata;
  // In place: a job that shares its template's labels gets these too.
  const labels = spec.template.metadata.labels ?? {};
  labels[LEGACY_CONTROLLER_UID] ??= uid;
  labels[LEGACY_JOB_NAME] ??= name;
  labels[CONTROLLER_UID] ??= uid;
  labels[JOB_NAME] ??= name;
  spec.template.metadata.labels = labels;
  const selector = spec.selector ?? {};
  selector.matchLabels = { [CONTROLLER_UID]: uid, ...selector.matchLabels };
  spec.selector = selector;
}
