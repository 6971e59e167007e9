import { newNotFound } from '@apiserver/apimachinery/errors';
import { describe, expect, it } from 'vitest';
import { servedKinds, servedResources } from './served-resources.js';

const RESPONSES: Readonly<Record<string, unknown>> = {
  '/api/v1': {
    resources: [
      { name: 'pods', singularName: 'pod', kind: 'Pod', namespaced: true },
      { name: 'pods/eviction', singularName: '', kind: 'Eviction', namespaced: true },
      { name: 'nodes', singularName: 'node', kind: 'Node', namespaced: false },
    ],
  },
  '/apis/metrics/v1': { resources: [{ name: 'pods', singularName: '', kind: 'PodMetrics', namespaced: true }] },
  '/apis/empty/v1': {},
  '/apis': {
    groups: [
      { name: 'metrics', versions: [{ version: 'v1beta1' }, { version: 'v1' }] },
      { name: 'old', versions: [{ version: 'v1beta1' }] },
      { name: 'gone', versions: [{ version: 'v1' }] },
    ],
  },
};

function loopbackOf(responses = RESPONSES) {
  const asked: string[] = [];
  const read = async (path: string) => {
    asked.push(path);
    if (path === '/apis/broken/v1') throw new Error('no connection');
    if (!(path in responses)) throw newNotFound({ group: '', resource: 'paths' }, path);
    return responses[path];
  };
  return { asked, read };
}

const pod = { group: '', version: 'v1', resource: 'pods' };

describe('servedResources', () => {
  const of = (group: string, kind: string) => servedResources(loopbackOf())({ group, version: 'v1', kind });

  it('finds the resources of a kind, without subresources', async () => {
    expect([await of('', 'Pod'), await of('', 'Node'), await of('', 'Eviction')]).toEqual([
      [{ resource: pod, namespaced: true }],
      [{ resource: { ...pod, resource: 'nodes' }, namespaced: false }],
      [],
    ]);
  });

  it('finds none in a version that is not served', async () => {
    expect([await of('none', 'Pod'), await of('empty', 'Pod')]).toEqual([[], []]);
    await expect(of('broken', 'Pod')).rejects.toMatchObject({ message: 'no connection' });
  });
});

describe('servedKinds', () => {
  it.each([
    ['pods', ['/Pod', 'metrics/PodMetrics']],
    ['Pod', ['/Pod']],
    ['nodes', ['/Node']],
    ['none', []],
  ])('finds %s in all groups of the version', async (resource, kinds) => {
    const loopback = loopbackOf();
    const found = await servedKinds(loopback)({ group: '', version: 'v1', resource });
    expect(found.map(({ group, kind }) => `${group}/${kind}`)).toEqual(kinds);
    expect(found.every(({ version }) => version === 'v1')).toBe(true);
    expect(loopback.asked).toEqual(['/apis', '/api/v1', '/apis/metrics/v1', '/apis/gone/v1']);
  });

  it('looks at one group only, if it has a name', async () => {
    const loopback = loopbackOf();
    const found = await servedKinds(loopback)({ group: 'metrics', version: 'v1', resource: 'pods' });
    expect([found, loopback.asked]).toEqual([
      [{ group: 'metrics', version: 'v1', kind: 'PodMetrics' }],
      ['/apis/metrics/v1'],
    ]);
  });

  it('may find no other groups', async () => {
    const { '/apis': _groups, ...others } = RESPONSES;
    const kindsOf = servedKinds(loopbackOf({ ...others, '/apis': {} }));
    expect(await kindsOf(pod)).toEqual([{ group: '', version: 'v1', kind: 'Pod' }]);
  });
});
