import type { Job } from '@apiserver/api/batch/v1';
import type { PodGroup, PodGroupSpec, Workload } from '@apiserver/api/scheduling/v1alpha2';
import type { KubeObject, ObjectMeta } from '@apiserver/apimachinery';
import { plainFailure } from '@apiserver/apimachinery/errors';
import { describe, expect, it } from 'vitest';
import { objectAttributes } from '../../testing/attributes.js';
import { testPluginDependencies } from '../../testing/plugin-dependencies.js';
import { runPlugin } from '../../testing/run-plugin.js';
import { jobValidation } from './job-validation.js';
import { podGroupProtection } from './pod-group-protection.js';
import { podGroupWorkloadExists } from './pod-group-workload-exists.js';

const enabled = ['GenericWorkload'];
const podGroup = (spec: Partial<PodGroupSpec> = {}, metadata: ObjectMeta = {}): PodGroup => ({
  apiVersion: 'scheduling.k8s.io/v1alpha2',
  kind: 'PodGroup',
  metadata: { name: 'g', namespace: 'ns', ...metadata },
  spec: { schedulingPolicy: { basic: {} }, ...spec },
  status: {},
});
const workload = (metadata: ObjectMeta = {}, ...templates: readonly string[]): Workload => ({
  apiVersion: 'scheduling.k8s.io/v1alpha2',
  kind: 'Workload',
  metadata: { name: 'w', namespace: 'ns', ...metadata },
  spec: { podGroupTemplates: templates.map((name) => ({ name, schedulingPolicy: { basic: {} } })) },
});
const FINALIZER = 'scheduling.k8s.io/podgroup-protection';
const GROUPS = 'podgroups.scheduling.k8s.io';

describe('PodGroupProtection', () => {
  it.each<[string, string[] | undefined, readonly string[], string[] | undefined]>([
    ['without finalizers', undefined, enabled, [FINALIZER]],
    ['with another finalizer', ['a'], enabled, ['a', FINALIZER]],
    ['with the finalizer', [FINALIZER, 'a'], enabled, [FINALIZER, 'a']],
    ['with the gate off', undefined, [], undefined],
  ])('a group %s', async (_, finalizers, gates, expected) => {
    const object = podGroup({}, finalizers && { finalizers });
    const plugin = podGroupProtection(testPluginDependencies({}, { enabled: gates }));
    const outcome = await runPlugin(plugin, objectAttributes(GROUPS, object));
    expect(outcome).toEqual({ object: podGroup({}, expected && { finalizers: expected }) });
  });

  it('does not touch updates, statuses and other resources', () => {
    const { handles } = podGroupProtection(testPluginDependencies({}, { enabled }));
    const scope = (resource: string) => objectAttributes(resource, podGroup()).scope;
    expect([
      handles('CREATE', scope(GROUPS)),
      handles('UPDATE', scope(GROUPS)),
      handles('CREATE', scope(`${GROUPS}/status`)),
      handles('CREATE', scope('podgroups.scheduling.x-k8s.io')),
    ]).toEqual([true, false, false, false]);
  });
});

describe('PodGroupWorkloadExists', () => {
  const referring = (podGroupTemplateName: string) =>
    podGroup({ podGroupTemplateRef: { workload: { workloadName: 'w', podGroupTemplateName } } });
  const admit = (object: PodGroup, objects: Record<string, KubeObject[]>, gates = enabled) =>
    runPlugin(
      podGroupWorkloadExists(testPluginDependencies(objects, { enabled: gates })),
      objectAttributes(GROUPS, object),
    );
  const rejected = (reason: string) => ({ refused: `${GROUPS} "g" is forbidden: PodGroup rejected: ${reason}` });

  it.each<[string, PodGroup, readonly Workload[], object | undefined]>([
    ['no reference', podGroup(), [], undefined],
    ['an empty reference', podGroup({ podGroupTemplateRef: {} }), [], undefined],
    ['no workload', referring('t'), [], rejected('Workload "w" not found')],
    ['a workload elsewhere', referring('t'), [workload({ namespace: 'x' }, 't')], rejected('Workload "w" not found')],
    ['no template', referring('t'), [workload({}, 'u')], rejected('PodGroupTemplate "t" not found in Workload "w"')],
    ['the template', referring('t'), [workload({}, 'u', 't')], undefined],
    [
      'a workload that is being deleted',
      referring('t'),
      [workload({ deletionTimestamp: '2026-01-01T00:00:00Z' }, 't')],
      rejected('Workload "w" is being deleted'),
    ],
  ])('%s', async (_, object, workloads, refusal) => {
    expect(await admit(object, { workloads: [...workloads] })).toEqual(refusal ?? { object });
  });

  it('checks nothing with the gate off', async () => {
    const object = referring('t');
    expect(await admit(object, {}, [])).toEqual({ object });
  });

  const withClient = async (get: () => Promise<Workload>) => {
    const dependencies = testPluginDependencies({}, { enabled });
    const client: typeof dependencies.client = {
      resource: (resource) => ({ ...dependencies.client.resource(resource), get: get as () => Promise<never> }),
    };
    return runPlugin(podGroupWorkloadExists({ ...dependencies, client }), objectAttributes(GROUPS, referring('t')));
  };

  it('asks the API for a workload that the informer lacks', async () => {
    expect(await withClient(async () => workload({}, 't'))).toEqual({ object: referring('t') });
  });

  it('answers 500 if the API fails', async () => {
    expect(await withClient(() => Promise.reject(plainFailure(503, 'no store')))).toEqual({
      refused: 'Internal error occurred: no store',
    });
  });
});

describe('JobValidation', () => {
  const job = (parallelism: number, podGroupName?: string): Job => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j', namespace: 'ns', uid: 'j1' },
    spec: {
      parallelism,
      template: { metadata: {}, spec: { containers: [], ...(podGroupName && { schedulingGroup: { podGroupName } }) } },
    },
    status: {},
  });
  const gang = { schedulingPolicy: { gang: { minCount: 2 } } };
  const ownedBy = (uid: string, controller = true): ObjectMeta => ({
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid, controller }],
  });
  const refused =
    'jobs.batch "j" is forbidden: cannot change parallelism for a Job referencing gang-scheduled PodGroup "g"';

  it.each<[string, readonly [Job, Job], readonly PodGroup[], boolean]>([
    ['a gang of its template', [job(1, 'g'), job(2, 'g')], [podGroup(gang)], false],
    ['no change of parallelism', [job(2, 'g'), job(2, 'g')], [podGroup(gang)], true],
    ['a basic group of its template', [job(1, 'g'), job(2, 'g')], [podGroup()], true],
    ['a group that does not exist', [job(1, 'h'), job(2, 'h')], [podGroup(gang, ownedBy('j1'))], true],
    ['a group in another namespace', [job(1, 'g'), job(2, 'g')], [podGroup(gang, { namespace: 'x' })], true],
    ['a gang that it controls', [job(1), job(2)], [podGroup(gang, ownedBy('j1'))], false],
    ['a gang that it owns only', [job(1), job(2)], [podGroup(gang, ownedBy('j1', false))], true],
    ['a gang without owners', [job(1), job(2)], [podGroup(gang)], true],
    ['a gang of another job', [job(1), job(2)], [podGroup(gang, ownedBy('j2'))], true],
    ['a basic group that it controls', [job(1), job(2)], [podGroup({}, ownedBy('j1'))], true],
    ['no group', [job(1), job(2)], [], true],
  ])('a job with %s', async (_, [oldObject, object], podgroups, admitted) => {
    const plugin = jobValidation(testPluginDependencies({ podgroups: [...podgroups] }, { enabled }));
    const outcome = await runPlugin(plugin, objectAttributes('jobs.batch', object, { oldObject }));
    expect(outcome).toEqual(admitted ? { object } : { refused });
  });

  it('handles updates of jobs, with the gate on', () => {
    const scope = (resource: string) => objectAttributes(resource, job(1)).scope;
    const on = jobValidation(testPluginDependencies({}, { enabled }));
    const off = jobValidation(testPluginDependencies());
    expect([
      on.handles('UPDATE', scope('jobs.batch')),
      on.handles('CREATE', scope('jobs.batch')),
      on.handles('UPDATE', scope('jobs.batch/status')),
      off.handles('UPDATE', scope('jobs.batch')),
    ]).toEqual([true, false, false, false]);
  });
});
