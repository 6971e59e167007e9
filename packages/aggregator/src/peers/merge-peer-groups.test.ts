import type { APIGroupDiscovery, APIResourceDiscovery } from '@apiserver/api/apidiscovery/v2';
import { describe, expect, it } from 'vitest';
import { mergeInOrder } from './merge-in-order.js';
import { mergePeerGroups } from './merge-peer-groups.js';

const kind = (name: string) => ({ group: '', version: '', kind: name });

function resource(name: string, verbs: readonly string[] = ['get'], ...subresources: string[]): APIResourceDiscovery {
  return {
    resource: name,
    responseKind: kind(name),
    scope: 'Cluster',
    singularResource: '',
    verbs: [...verbs],
    ...(subresources.length > 0 && {
      subresources: subresources.map((subresource) => ({ subresource, responseKind: kind('S'), verbs: ['get'] })),
    }),
  };
}

function group(name: string, versions: Readonly<Record<string, readonly APIResourceDiscovery[]>>): APIGroupDiscovery {
  return {
    kind: '',
    apiVersion: '',
    metadata: { name },
    versions: Object.entries(versions).map(([version, resources]) => ({
      version,
      resources: [...resources],
      freshness: 'Current',
    })),
  };
}

/** The expected orders come from upstream's function. */
describe('mergeInOrder', () => {
  it.each<[string, readonly (readonly string[])[], readonly string[]]>([
    ['nothing', [], []],
    ['a list with all names is the order', [['b', 'a', 'c'], ['a']], ['b', 'a', 'c']],
    [
      'ranks count before the alphabet',
      [
        ['z', 'a'],
        ['z', 'b'],
      ],
      ['z', 'a', 'b'],
    ],
    ['unranked names go alphabetically', [['b'], ['a'], ['c']], ['a', 'b', 'c']],
    [
      'a later rank',
      [
        ['x', 'm', 'a'],
        ['k', 'm', 'b'],
      ],
      ['k', 'x', 'm', 'a', 'b'],
    ],
    [
      'contradicting lists',
      [
        ['c', 'a', 'b'],
        ['b', 'c', 'd'],
      ],
      ['a', 'b', 'c', 'd'],
    ],
    ['a name twice in one list', [['b', 'a', 'b']], ['a', 'b']],
  ])('%s', (_, lists, expected) => {
    expect(mergeInOrder(lists)).toEqual(expected);
  });
});

describe('mergePeerGroups', () => {
  const local = [group('apps', { v1: [resource('deployments')] }), group('batch', { v1: [resource('jobs')] })];
  const merge = (peers: Readonly<Record<string, readonly APIGroupDiscovery[]>>) =>
    mergePeerGroups({ serverId: 'm', groups: local }, new Map(Object.entries(peers)));

  it('is the local list without peers, and with peers that serve the same', () => {
    expect([merge({}), merge({ a: structuredClone(local), z: structuredClone(local) })]).toEqual([local, local]);
    expect(merge({ a: structuredClone(local) })).toBe(local);
  });

  it('adds groups, versions and resources of peers', () => {
    const peer = [
      group('apps', { v1: [resource('deployments'), resource('sets')] }),
      group('batch', { v1: [resource('jobs')], v1beta1: [resource('crons')] }),
      group('new', { v1: [resource('things')] }),
    ];
    expect(merge({ z: peer })).toEqual(peer);
  });

  it('gives a resource the verbs and subresources of all servers, sorted', () => {
    const peer = [
      group('apps', { v1: [resource('deployments', ['watch', 'create'], 'status', 'scale')] }),
      group('batch', { v1: [resource('jobs')] }),
    ];
    const [apps] = merge({ z: peer });
    expect(apps?.versions?.[0]?.resources).toEqual([
      resource('deployments', ['create', 'get', 'watch'], 'scale', 'status'),
    ]);
  });

  it('orders groups in the same way on each server', () => {
    const other = [group('x', { v1: [] }), group('apps', { v1: [resource('deployments')] })];
    const here = mergePeerGroups({ serverId: 'm', groups: local }, new Map([['z', other]]));
    const there = mergePeerGroups({ serverId: 'z', groups: other }, new Map([['m', local]]));
    expect(here.map(({ metadata }) => metadata.name)).toEqual(['x', 'apps', 'batch']);
    expect(there).toEqual(here);
  });
});
