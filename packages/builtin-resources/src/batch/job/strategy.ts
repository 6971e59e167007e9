import { type Job, JobSpec } from '@apiserver/api/batch/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import type { PodFeatures } from '../../core/pod-spec/pod-features.js';
import { podNameWarnings } from '../../workload/name-warnings.js';
import type { Strategies } from '../../workload/strategies.js';
import { labelAsTemplate } from './defaults.js';
import { generateSelector } from './selector.js';
import { jobSpecWarnings } from './spec-warnings.js';
import { validateJobStatusUpdate } from './status-validation.js';
import { validateJob, validateJobUpdate } from './validation.js';

const SPEC = FieldPath.of('spec');

/** Upstream: pkg/registry/batch/job/strategy.go */
export function jobStrategies(features: PodFeatures): Strategies<Job> {
  const main: Strategy<Job> = {
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
    validate: (_context, job) => validateJob(job, features),
    warningsOnCreate: (_context, { metadata, spec }) => [...podNameWarnings(metadata), ...jobSpecWarnings(spec, SPEC)],
    prepareForUpdate(_context, job, old) {
      job.status = cloneJson(old.status);
      countSpecChange(job, old, JobSpec);
    },
    validateUpdate: (_context, job, old) => validateJobUpdate(job, old, features),
    warningsOnUpdate: (_context, { metadata, spec }, old) =>
      metadata.generation === old.metadata.generation ? [] : jobSpecWarnings(spec, SPEC),
  };
  return { main, status: statusStrategy(main) };
}

function statusStrategy(main: Strategy<Job>): Strategy<Job> {
  return {
    ...main,
    resetFields: ['spec'],
    prepareForUpdate(_context, job, old) {
      job.spec = cloneJson(old.spec);
    },
    validateUpdate: (_context, job, old) => validateJobStatusUpdate(job, old),
    warningsOnUpdate: () => [],
  };
}
