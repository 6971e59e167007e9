import type { Job, JobSpec, JobStatus } from '@apiserver/api/batch/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { describe, expect, it } from 'vitest';
import { DEFAULT_POD_FEATURES } from '../../core/pod-spec/pod-features.js';
import { jobStrategies } from './strategy.js';

const { main: jobStrategy, status: jobStatusStrategy } = jobStrategies(DEFAULT_POD_FEATURES);

const START = '2030-01-01T00:00:00Z';
const END = '2030-01-01T01:00:00Z';
const context = {} as Parameters<typeof jobStrategy.validate>[0];

const on = (...types: string[]) => types.map((type) => ({ type, status: 'True' }));

function job(status: JobStatus, spec: Partial<JobSpec> = {}): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1' },
    spec: { completionMode: 'NonIndexed', template: { metadata: {}, spec: { containers: [] } }, ...spec },
    status,
  };
}

async function faults(before: JobStatus, after: JobStatus, spec?: Partial<JobSpec>): Promise<readonly string[]> {
  const errors = await jobStatusStrategy.validateUpdate(context, job(after, spec), job(before, spec));
  return errors.map(({ field, detail }) => `${field}: ${detail}`);
}

const COMPLETE: JobStatus = {
  startTime: START,
  completionTime: END,
  conditions: on('SuccessCriteriaMet', 'Complete'),
};

const NEVER_STARTED: JobStatus = { completionTime: END, conditions: on('SuccessCriteriaMet', 'Complete') };

describe("an update of a job's status", () => {
  it.each<[string, JobStatus, JobStatus, readonly string[]]>([
    ['an end', { startTime: START }, COMPLETE, []],
    [
      'every fault of an end, in upstream order',
      { failed: 2, succeeded: 1 },
      {
        active: 1,
        ready: 2,
        terminating: 1,
        completionTime: START,
        uncountedTerminatedPods: { succeeded: ['p', ''], failed: ['p'] },
        conditions: on('Complete', 'Failed', 'FailureTarget'),
      },
      [
        'status.uncountedTerminatedPods.succeeded[1]: must not be empty',
        'status.uncountedTerminatedPods.failed[0]: ',
        'status.conditions: cannot set Complete=True and Failed=true conditions',
        'status.conditions: cannot set Complete=True and FailureTarget=true conditions',
        'status.conditions: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
        'status.active: active>0 is invalid for finished job',
        'status.startTime: startTime is required for finished job',
        'status.uncountedTerminatedPods: must be empty for finished job',
        'status.terminating: terminating>0 is invalid for finished job',
        'status.ready: cannot set more ready pods than active',
        'status.failed: cannot decrease the failed counter',
        'status.succeeded: cannot decrease the succeeded counter',
      ],
    ],
    [
      'times the wrong way round',
      { startTime: END },
      { ...COMPLETE, startTime: END, completionTime: START },
      ['status.completionTime: must be equal to or after `startTime`'],
    ],
    [
      'another time of completion',
      COMPLETE,
      { ...COMPLETE, completionTime: '2030-01-01T02:00:00Z' },
      ['status.completionTime: field is immutable'],
    ],
    [
      'an end taken back',
      COMPLETE,
      { startTime: START },
      [
        'status.conditions: cannot disable the terminal Complete=True condition',
        'status.conditions: cannot disable the SuccessCriteriaMet=True condition',
      ],
    ],
    [
      'another start',
      { startTime: START },
      { startTime: END },
      ['status.startTime: field is immutable for unsuspended job once set'],
    ],
    [
      'a start taken back',
      { startTime: START },
      {},
      ['status.startTime: field is immutable for unsuspended job once set'],
    ],
    // Upstream looks at the failed indexes instead of the target.
    [
      'failed indexes of a failure without its target',
      { startTime: START, conditions: on('Failed') },
      { startTime: START, conditions: on('Failed'), failedIndexes: '' },
      [
        'status.conditions: cannot set Failed=True condition without the FailureTarget=true condition',
        'status.failedIndexes: cannot set non-null failedIndexes when backoffLimitPerIndex is null',
      ],
    ],
    [
      'a failure without its target',
      { startTime: START },
      { startTime: START, conditions: on('Failed') },
      ['status.conditions: cannot set Failed=True condition without the FailureTarget=true condition'],
    ],
    [
      'success after an end without it',
      { ...COMPLETE, conditions: on('Complete') },
      COMPLETE,
      ['status.conditions: cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions'],
    ],
    ['an existing fault', { active: 1, ready: 3 }, { active: 1, ready: 3, failed: 1 }, []],
  ])('%s', async (_what, before, after, expected) => {
    expect(await faults(before, after)).toEqual(expected);
  });

  const was = (status: string): JobStatus => ({ conditions: [{ type: 'Suspended', status }] });
  const SUSPENDED: JobStatus = { ...was('True'), startTime: START };
  it.each<[string, Parameters<typeof faults>, readonly string[]]>([
    ['another start', [SUSPENDED, { ...was('False'), startTime: END }], []],
    ['no start', [SUSPENDED, was('False')], []],
    [
      'another start before its condition changes',
      [SUSPENDED, { ...SUSPENDED, startTime: END }],
      ['status.startTime: field is immutable for unsuspended job once set'],
    ],
    [
      'another start without its condition',
      [SUSPENDED, { startTime: END }],
      ['status.startTime: field is immutable for unsuspended job once set'],
    ],
    ['an end without a start', [{}, NEVER_STARTED, { suspend: true, completions: 0 }], []],
    [
      'an end without a start, having completions',
      [{}, NEVER_STARTED, { suspend: true, completions: 1 }],
      ['status.startTime: startTime is required for finished job'],
    ],
    [
      'an end without a start, not suspended',
      [{}, NEVER_STARTED, { completions: 0 }],
      ['status.startTime: startTime is required for finished job'],
    ],
  ])('of a job that was suspended: %s', async (_what, states, expected) => {
    expect(await faults(...states)).toEqual(expected);
  });

  it('a smaller indexed job has fewer successes', async () => {
    const spec = { completionMode: 'Indexed', completions: 2, parallelism: 2 };
    expect(await faults({ succeeded: 3 }, { succeeded: 2 }, spec)).toEqual([]);
    expect(await faults({ succeeded: 3 }, { succeeded: 2 }, { ...spec, parallelism: 1 })).toHaveLength(1);
  });
});

describe('generated labels', () => {
  const generated = {
    'batch.kubernetes.io/controller-uid': 'u',
    'batch.kubernetes.io/job-name': 'a',
    'controller-uid': 'u',
    'job-name': 'a',
  };
  it.each<[string, Record<string, string> | undefined, Record<string, string> | undefined, object]>([
    ['reach a job that shares the labels of its template', undefined, { app: 'x' }, { app: 'x', ...generated }],
    ['reach a job whose template had none', undefined, undefined, generated],
    ['do not reach a job with labels of its own', { own: 'y' }, { app: 'x' }, { own: 'y' }],
  ])('%s', async (_what, own, template, expected) => {
    const { jobDefinition } = await import('./index.js');
    const made = job(
      {},
      { template: { metadata: { ...(template && { labels: template }) }, spec: { containers: [] } } },
    );
    if (own !== undefined) made.metadata.labels = own;
    jobDefinition(DEFAULT_POD_FEATURES).versions[0]?.applyDefaults?.(made);
    await jobStrategy.prepareForCreate?.(context, made);
    expect(made.metadata.labels).toEqual(expected);
    expect(made.spec.template.metadata.labels).toEqual({ ...template, ...generated });
  });
});

it('reports a fault of the spec twice on update, as upstream', async () => {
  const made = job({}, { manualSelector: true, selector: {}, parallelism: -1 });
  const errors = await jobStrategy.validateUpdate(context, made, made);
  expect(errors.filter(({ field }) => field === 'spec.parallelism')).toHaveLength(2);
});

it('lets a finished job keep its uncounted pods, also with an empty list', async () => {
  const finished = job({ ...COMPLETE, uncountedTerminatedPods: { failed: ['p'] } });
  const again = job({ ...COMPLETE, uncountedTerminatedPods: { succeeded: [], failed: ['p'] } });
  expect(await jobStatusStrategy.validateUpdate(context, again, finished)).toEqual([]);
});

it("formats structures as upstream's internal types", async () => {
  const finished = { ...COMPLETE, uncountedTerminatedPods: { failed: ['p'] } };
  const [uncounted] = await jobStatusStrategy.validateUpdate(context, job(finished), job({ startTime: START }));
  const made = job({}, { manualSelector: true, successPolicy: { rules: [{ succeededCount: 1 }] } });
  const errors = await jobStrategy.validate(context, made);
  const policy = errors.find(({ field }) => field === 'spec.successPolicy');
  expect([uncounted?.badValue, policy?.badValue]).toEqual([
    { Succeeded: null, Failed: ['p'] },
    { Rules: [{ SucceededIndexes: null, SucceededCount: 1 }] },
  ]);
});

it('prints the UID of a pod as a type of its own', async () => {
  const twice = job({ startTime: START, uncountedTerminatedPods: { succeeded: ['<p', '<p'] } });
  const errors = await jobStatusStrategy.validateUpdate(context, twice, job({ startTime: START }));
  expect(aggregateFieldErrors(errors)).toContain('succeeded[1]: Duplicate value: "\\u003cp"');
});
