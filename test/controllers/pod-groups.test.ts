import { expect, it } from 'vitest';
import { startControllerServer } from './controller-server.ts';

const poll = { interval: 20 };
const pods = '/api/v1/namespaces/default/pods';
const groups = '/apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups';

// Upstream: pkg/controller/scheduling/podgroupprotection
it('keeps a deleted PodGroup while active pods name it', async () => {
  await using server = await startControllerServer('*', [
    '--feature-gates=GenericWorkload=true',
    '--runtime-config=scheduling.k8s.io/v1alpha2=true',
  ]);
  const role = '/apis/rbac.authorization.k8s.io/v1/clusterroles/system:controller:podgroup-protection-controller';
  expect((await server.get(role))?.['rules']).toEqual([
    { verbs: ['get', 'list', 'update', 'watch'], apiGroups: ['scheduling.k8s.io'], resources: ['podgroups'] },
    { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] },
  ]);
  await expect.poll(() => server.get('/api/v1/namespaces/default/serviceaccounts/default'), poll).toBeDefined();
  for (const name of ['deleted', 'finished', 'unused', 'kept']) {
    await server.create(groups, { metadata: { name }, spec: { schedulingPolicy: { basic: {} } } });
  }
  for (const name of ['deleted', 'finished']) {
    const spec = { containers: [{ name: 'c', image: 'x' }], schedulingGroup: { podGroupName: name } };
    await server.create(pods, { metadata: { name }, spec });
  }
  await server.patch(`${groups}/kept`, { metadata: { finalizers: null } });
  const finalizersOf = async (name: string) => (await server.get(`${groups}/${name}`))?.metadata.finalizers;
  const gone = (name: string) => expect.poll(() => server.get(`${groups}/${name}`), poll).toBe(undefined);
  for (const name of ['deleted', 'finished', 'unused']) await server.delete(`${groups}/${name}`);
  await gone('unused');
  for (const name of ['deleted', 'finished']) {
    expect(await finalizersOf(name)).toEqual(['scheduling.k8s.io/podgroup-protection']);
  }
  await server.delete(`${pods}/deleted?gracePeriodSeconds=0`);
  await gone('deleted');
  await server.patch(`${pods}/finished/status`, { status: { phase: 'Succeeded' } });
  await gone('finished');
  expect(await finalizersOf('kept')).toBe(undefined);
});
