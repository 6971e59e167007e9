import { beforeAll, describe, expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { object, paths } from './objects.ts';

const VERSION = 'scheduling.k8s.io/v1alpha2';
const ROOT = `/apis/${VERSION}/namespaces/default`;
const RUNTIME_CONFIG = `--runtime-config=${VERSION}=true`;

const schedulingPolicy = { gang: { minCount: 2 } };
const workload = object(VERSION, 'Workload', 'w', { spec: { podGroupTemplates: [{ name: 't', schedulingPolicy }] } });
const group = (name: string, workloadName: string, podGroupTemplateName: string) =>
  object(VERSION, 'PodGroup', name, {
    spec: { podGroupTemplateRef: { workload: { workloadName, podGroupTemplateName } }, schedulingPolicy },
  });

describe('a server with pod groups', () => {
  const server = assembledServer('--feature-gates=GenericWorkload=true', RUNTIME_CONFIG);
  const create = (podGroup: object) => server.ask('POST', `${ROOT}/podgroups`, podGroup);

  beforeAll(async () => {
    await server.make(`${ROOT}/workloads`, workload);
    await server.make(`${ROOT}/podgroups`, group('a', 'w', 't'));
  });

  it('protects a group of a workload', async () => {
    const { code, body } = await server.ask('GET', `${ROOT}/podgroups/a`);
    expect([code, body.metadata.finalizers, body.spec.disruptionMode]).toEqual([
      200,
      ['scheduling.k8s.io/podgroup-protection'],
      'Pod',
    ]);
  });

  it.each([
    ['workload', group('b', 'missing', 't'), 'Workload "missing" not found'],
    ['template', group('b', 'w', 'missing'), 'PodGroupTemplate "missing" not found in Workload "w"'],
  ])('refuses a group without its %s', async (_, podGroup, reason) => {
    expect(await create(podGroup)).toMatchObject({
      code: 403,
      body: { message: `podgroups.scheduling.k8s.io "b" is forbidden: PodGroup rejected: ${reason}` },
    });
  });

  it('keeps the groups of pods', async () => {
    const spec = { containers: [{ name: 'c', image: 'i' }], schedulingGroup: { podGroupName: 'a' } };
    const template = object('v1', 'PodTemplate', 't', { template: { spec } });
    const { body } = await server.ask('POST', paths.in('default', 'podtemplates'), template);
    expect(body.template.spec.schedulingGroup).toEqual({ podGroupName: 'a' });
  });

  it('refuses another parallelism of a job of a gang', async () => {
    const template = { spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } };
    const grouped = { spec: { ...template.spec, schedulingGroup: { podGroupName: 'a' } } };
    const jobs = paths.inGroup('batch', 'default', 'jobs');
    const job = await server.make(
      jobs,
      object('batch/v1', 'Job', 'j', { spec: { parallelism: 2, template: grouped } }),
    );
    const response = await server.ask('PUT', `${jobs}/j`, { ...job, spec: { ...job.spec, parallelism: 3 } });
    expect(response).toMatchObject({ code: 403, body: { message: expect.stringContaining('PodGroup "a"') } });
  });

  it('lets its status be written, and not its spec', async () => {
    const path = `${ROOT}/podgroups/a`;
    const conditions = [{ type: 'PodGroupScheduled', status: 'True', reason: 'Scheduled', message: '' }];
    const { body } = await server.ask('GET', path);
    const lastTransitionTime = body.metadata.creationTimestamp;
    const scheduled = { ...body, status: { conditions: conditions.map((one) => ({ ...one, lastTransitionTime })) } };
    expect((await server.ask('PUT', `${path}/status`, scheduled)).body.status.conditions).toHaveLength(1);
    const changed = { ...body, spec: { ...body.spec, schedulingPolicy: { basic: {} } } };
    delete changed.metadata.resourceVersion;
    expect(await server.ask('PUT', path, changed)).toMatchObject({
      code: 422,
      body: {
        message:
          'PodGroup.scheduling.k8s.io "a" is invalid: spec.schedulingPolicy: Invalid value: null: field is immutable',
      },
    });
  });
});

describe('a server without the feature', () => {
  const server = assembledServer(RUNTIME_CONFIG);

  it('has no version for it', async () => {
    const { body } = await server.ask('GET', '/apis/scheduling.k8s.io');
    expect(body.versions.map(({ version }: { version: string }) => version)).toEqual(['v1']);
  });
});
