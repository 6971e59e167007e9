import type { Job, JobSpec } from '@apiserver/api/batch/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { expect, it } from 'vitest';
import { validateJobUpdate } from './validation.js';

const LABELS = { 'batch.kubernetes.io/job-name': 'j', 'batch.kubernetes.io/controller-uid': 'u' };

function job(spec: Partial<JobSpec>, image = 'i'): Job {
  const labels = { ...LABELS, 'job-name': 'j', 'controller-uid': 'u' };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j', namespace: 'ns', uid: 'u', resourceVersion: '1' },
    spec: {
      ...{ parallelism: 1, completions: 1, completionMode: 'Indexed', backoffLimit: 1 },
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            { name: 'c', image, resources: {}, imagePullPolicy: 'Always', terminationMessagePolicy: 'File' },
          ],
          ...{
            restartPolicy: 'Never',
            dnsPolicy: 'ClusterFirst',
            securityContext: {},
            terminationGracePeriodSeconds: 1,
          },
        },
      },
      ...spec,
    },
    status: {},
  };
}

const faults = (now: Job, before: Job) =>
  validateJobUpdate(now, before)
    .filter(({ detail }) => detail === 'field is immutable')
    .map((error) => aggregateFieldErrors([error]));

it('shows structures that cannot change in the form of upstream types', () => {
  const successPolicy = { rules: [{ succeededCount: 1 }] };
  expect(faults(job({ successPolicy }), job({}))).toEqual([
    'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: field is immutable',
  ]);
  const [template = ''] = faults(job({}, 'other'), job({}));
  expect(template).toMatch(
    /^spec\.template: Invalid value: \{"labels":\{.*\},"Spec":\{"Volumes":null,"InitContainers":null,"Containers":\[\{"Name":"c","Image":"other",/,
  );
});
