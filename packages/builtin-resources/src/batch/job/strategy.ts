import type { Job } from '@apiserver/api/batch/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import { podNameWarnings } from '../../workload/name-warnings.js';
import { labelAsTemplate } from './defaults.js';
import { generateSelector } from './selector.js';
import { jobSpecWarnings } from './spec-warnings.js';
import { validateJobStatusUpdate } from './status-validation.js';
import { validateJob, validateJobUpdate } from './validation.js';

const SPEC = FieldPath.of('spec');

/** Upstream: pkg/registry/batch/job/strategy.go */
export const jobStrategy: Strategy<Job> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  defaultGarbageCollectionPolicy: 'Orphan',
  resetFields: ['status'],
  prepareForCreate(_context, job) {
    job.status = {};
    job.metadata.generation = 1;
    if (!job.spec.manualSelector) generateSelector(job);
    // Before validation: when read back, the job would have these labels by default.
    labelAsTemplate(job);
  },
  validate: (_context, job) => validateJob(job),
  warningsOnCreate: (_context, { metadata, spec }) => [...podNameWarnings(metadata), ...jobSpecWarnings(spec, SPEC)],
  prepareForUpdate(_context, job, old) {
    job.status = cloneJson(old.status);
    countSpecChange(job, old);
  },
  validateUpdate: (_context, job, old) => validateJobUpdate(job, old),
  warningsOnUpdate: (_context, { metadata, spec }, old) =>
    metadata.generation === old.metadata.generation ? [] : jobSpecWarnings(spec, SPEC),
};

/** Strategy of the status endpoint. */
export const jobStatusStrategy: Strategy<Job> = {
  ...jobStrategy,
  resetFields: ['spec'],
  prepareForUpdate(_context, job, old) {
    job.spec = cloneJson(old.spec);
  },
  validateUpdate: (_context, job, old) => validateJobStatusUpdate(job, old),
  warningsOnUpdate: () => [],
};
