import type { Job, JobSpec, JobStatus } from '@apiserver/api/batch/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { expect, it } from 'vitest';
import { DEFAULT_POD_FEATURES } from '../../core/pod-spec/pod-features.js';
import { validateJob, validateJobUpdate } from './validation.js';

const LABELS = { 'batch.kubernetes.io/job-name': 'j', 'batch.kubernetes.io/controller-uid': 'u' };

function job(spec: Partial<JobSpec>, image = 'i'): Job {
  const labels = { ...LABELS, 'job-name': 'j', 'controller-uid': 'u' };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j', namespace: 'ns', uid: 'u', resourceVersion: '1' },
    spec: {
      parallelism: 1,
      completions: 1,
      completionMode: 'Indexed',
      backoffLimit: 1,
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            { name: 'c', image, resources: {}, imagePullPolicy: 'Always', terminationMessagePolicy: 'File' },
          ],
          restartPolicy: 'Never',
          dnsPolicy: 'ClusterFirst',
          securityContext: {},
          terminationGracePeriodSeconds: 1,
        },
      },
      ...spec,
    },
    status: {},
  };
}

const faults = (now: Job, before: Job) =>
  validateJobUpdate(now, before, DEFAULT_POD_FEATURES)
    .filter(({ detail }) => detail === 'field is immutable')
    .map((error) => aggregateFieldErrors([error]));

it("formats immutable structures as upstream's types", () => {
  const successPolicy = { rules: [{ succeededCount: 1 }] };
  expect(faults(job({ successPolicy }), job({}))).toEqual([
    'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: field is immutable',
  ]);
  const [template = ''] = faults(job({}, 'other'), job({}));
  expect(template).toMatch(
    /^spec\.template: Invalid value: \{"labels":\{.*\},"Spec":\{"Volumes":null,"InitContainers":null,"Containers":\[\{"Name":"c","Image":"other",/,
  );
});

/** The distinct faults of a job, as messages. */
const said = (errors: ReturnType<typeof validateJob>) => [
  ...new Set(errors.map((error) => aggregateFieldErrors([error]))),
];

it('lets activeDeadlineSeconds of a running job change', () => {
  const [short, long] = [job({ activeDeadlineSeconds: 5 }), job({ activeDeadlineSeconds: 6 })];
  expect([
    validateJobUpdate(long, short, DEFAULT_POD_FEATURES),
    validateJobUpdate(short, long, DEFAULT_POD_FEATURES),
    validateJobUpdate(job({}), short, DEFAULT_POD_FEATURES),
  ]).toEqual([[], [], []]);
});

const perIndex = { backoffLimitPerIndex: 1 };
const many = { ...perIndex, completions: 100_001, parallelism: 10_000, maxFailedIndexes: 10_000 };
const beyond =
  'must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index';

it.each<[string, Partial<JobSpec>, string[]]>([
  ['as many as there are', { ...perIndex, completions: 2, maxFailedIndexes: 2 }, []],
  ['many of very many', many, []],
  [
    'more than there are',
    { ...perIndex, completions: 2, maxFailedIndexes: 3 },
    ['spec.maxFailedIndexes: Invalid value: 3: must be less than or equal to completions'],
  ],
  [
    'fewer than none',
    { ...perIndex, maxFailedIndexes: -1 },
    ['spec.maxFailedIndexes: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'more than any job has',
    { ...perIndex, completions: 100_001, maxFailedIndexes: 100_001 },
    [
      'spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to 100000',
      `spec.maxFailedIndexes: Invalid value: 100001: ${beyond}`,
    ],
  ],
  [
    'too many of very many',
    { ...many, maxFailedIndexes: 10_001 },
    [`spec.maxFailedIndexes: Invalid value: 10001: ${beyond}`],
  ],
  ['too many at a time', { ...many, parallelism: 10_001 }, [`spec.parallelism: Invalid value: 10001: ${beyond}`]],
  [
    'none told of very many',
    { ...perIndex, completions: 100_001 },
    ['spec.maxFailedIndexes: Required value: must be specified when completions is above 100000'],
  ],
  [
    'without a limit per index',
    { completions: 2, maxFailedIndexes: 1 },
    ['spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified'],
  ],
  [
    'without indexes',
    { completionMode: 'NonIndexed', maxFailedIndexes: 1 },
    [
      'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified',
      'spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode',
    ],
  ],
])('validates maxFailedIndexes: %s', (_what, spec, expected) => {
  expect(said(validateJob(job(spec), DEFAULT_POD_FEATURES))).toEqual(expected);
});

it("names the pod's spec of a suspended job that changes more than scheduling and resources", () => {
  const suspended = (image: string, fields: object = {}): Job => {
    const made = job({ suspend: true }, image);
    Object.assign(made.spec.template.spec, fields);
    return made;
  };
  const changed = suspended('other', { nodeSelector: { a: 'b' } });
  expect([
    faults(suspended('i', { nodeSelector: { a: 'b' } }), suspended('i')),
    faults(suspended('i', { initContainers: [] }), suspended('i', { initContainers: [] })),
    faults(changed, suspended('i')).map((text) => text.slice(0, 50)),
  ]).toEqual([[], [], ['spec.template.spec: Invalid value: {"Volumes":null']]);
});

const STARTED = { startTime: '2030-01-01T00:00:00Z' };
const SUSPENDED = { conditions: [{ type: 'Suspended', status: 'True' }] };
it.each<[string, JobStatus, boolean]>([
  ['never started', {}, true],
  ['never started, with pods', { active: 1 }, false],
  ['started before', STARTED, false],
  ['started before and has stopped', { ...STARTED, ...SUSPENDED }, true],
  ['has stopped, with pods', { ...SUSPENDED, active: 1 }, false],
])('lets the scheduling of a suspended job change: it %s', (_what, status, isAllowed) => {
  const before = { ...job({ suspend: true }), status };
  const now = structuredClone(before);
  now.spec.template.spec.nodeSelector = { a: 'b' };
  expect(faults(now, before)).toHaveLength(isAllowed ? 0 : 1);
});

it.each<[string, Partial<JobSpec>, string[]]>([
  [
    'negative completions',
    { ...perIndex, completions: -1 },
    ['spec.completions: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'a manager of too many bytes',
    { managedBy: `a/${'ä'.repeat(31)}` },
    ['spec.managedBy: Invalid value', 'spec.managedBy: Too long: may not be more than 63 bytes'],
  ],
])('validates %s', (_what, spec, expected) => {
  const found = said(validateJob(job(spec), DEFAULT_POD_FEATURES));
  expect(found.map((text, i) => text.slice(0, expected[i]?.length))).toEqual(expected);
});

it.each<
  [
    what: string,
    stored: { spec?: Partial<JobSpec>; status?: JobStatus },
    changes: object,
    isAllowed: readonly [boolean, boolean],
  ]
>([
  ['node selector', { spec: { suspend: true } }, { spec: { nodeSelector: { a: 'b' } } }, [true, true]],
  ['labels', { spec: { suspend: true } }, { metadata: { annotations: { a: 'b' } } }, [true, true]],
  ['resources', { spec: { suspend: true } }, { requests: { cpu: '1' } }, [false, true]],
  [
    'node selector once it has started',
    {
      spec: { suspend: true },
      status: { startTime: '2020-01-01T00:00:00Z', conditions: [{ type: 'Suspended', status: 'True' }] },
    },
    { spec: { nodeSelector: { a: 'b' } } },
    [false, true],
  ],
  ['node selector of a running job', {}, { spec: { nodeSelector: { a: 'b' } } }, [false, false]],
])(
  'lets the template of a suspended job change its %s by the rules of its release',
  (_, stored, changes, isAllowed) => {
    const off = { MutablePodResourcesForSuspendedJobs: false, MutableSchedulingDirectivesForSuspendedJobs: false };
    const before = { ...job(stored.spec ?? {}), status: stored.status ?? {} };
    const now = structuredClone(before);
    const { metadata, spec: more, requests } = changes as Record<string, object | undefined>;
    Object.assign(now.spec.template.metadata, metadata);
    Object.assign(now.spec.template.spec, more);
    const [container] = now.spec.template.spec.containers ?? [];
    if (requests !== undefined && container !== undefined) Object.assign(container.resources, { requests });
    const allowed = (gates: object) =>
      !validateJobUpdate(now, before, { ...DEFAULT_POD_FEATURES, ...gates }).some(
        ({ detail }) => detail === 'field is immutable',
      );
    expect([allowed(off), allowed({})]).toEqual(isAllowed);
  },
);
