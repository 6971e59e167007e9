import { beforeAll, describe, expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { core, paths, pod } from './objects.ts';

const server = assembledServer();

beforeAll(async () => {
  for (const name of ['ending', 'limited', 'counted']) {
    await server.make(paths.namespaces, core('Namespace', name));
    await server.make(paths.in(name, 'serviceaccounts'), core('ServiceAccount', 'default'));
  }
});

describe('a namespace', () => {
  it('has to be there before its objects', async () => {
    const { code, body } = await server.ask('POST', paths.in('none', 'configmaps'), core('ConfigMap', 'c'));
    expect([code, body.message]).toEqual([404, 'namespaces "none" not found']);
  });

  it('takes nothing more once it ends', async () => {
    expect((await server.ask('DELETE', `${paths.namespaces}/ending`)).body.status.phase).toBe('Terminating');
    const { code, body } = await server.ask('POST', paths.in('ending', 'configmaps'), core('ConfigMap', 'late'));
    expect([code, body.message]).toEqual([
      403,
      'configmaps "late" is forbidden: unable to create new content in namespace ending because it is being terminated',
    ]);
  });

  it.each(['default', 'kube-system', 'kube-public'])('%s stays', async (name) => {
    const { code, body } = await server.ask('DELETE', `${paths.namespaces}/${name}`);
    expect([code, body.message]).toEqual([403, `namespaces "${name}" is forbidden: this namespace may not be deleted`]);
  });
});

it('a limit range bounds every container, init containers too', async () => {
  const limits = [{ type: 'Container', max: { cpu: '1' } }];
  await server.make(paths.in('limited', 'limitranges'), core('LimitRange', 'l', { spec: { limits } }));
  const container = (cpu: string) => ({ name: 'c', image: 'i', resources: { limits: { cpu } } });
  const create = (name: string, spec: object) => server.ask('POST', paths.in('limited', 'pods'), pod(name, spec));
  const responses = [
    await create('large', { containers: [container('2')] }),
    await create('large-init', {
      containers: [container('1')],
      initContainers: [{ ...container('2'), name: 'init' }],
    }),
    await create('small', { containers: [container('1')] }),
  ];
  expect(responses.map(({ code, body }) => [code, body.message])).toEqual([
    [403, 'pods "large" is forbidden: maximum cpu usage per Container is 1, but limit is 2'],
    [403, 'pods "large-init" is forbidden: maximum cpu usage per Container is 1, but limit is 2'],
    [201, undefined],
  ]);
});

it('a quota is spent and no more', async () => {
  const hard = { configmaps: '1', 'requests.cpu': '1' };
  const quotas = paths.in('counted', 'resourcequotas');
  await server.make(quotas, core('ResourceQuota', 'q', { spec: { hard } }));
  await server.make(
    `${quotas}/q/status`,
    { status: { hard, used: { configmaps: '0', 'requests.cpu': '0' } } },
    'PATCH',
  );
  const create = (name: string) => server.ask('POST', paths.in('counted', 'configmaps'), core('ConfigMap', name));
  expect((await create('one')).code).toBe(201);
  const { code, body } = await create('two');
  expect([code, body.message]).toEqual([
    403,
    'configmaps "two" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1',
  ]);
  const silent = await server.ask('POST', paths.in('counted', 'pods'), pod('silent'));
  expect([silent.code, silent.body.message]).toEqual([403, expect.stringContaining('must specify requests.cpu')]);
});
