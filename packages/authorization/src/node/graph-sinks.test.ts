import type { KubeObject } from '@apiserver/apimachinery';
import type { StoredObject } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { graphSinks } from './graph-sinks.js';
import { type GraphKind, NodeGraph } from './node-graph.js';

function setUp() {
  const graph = new NodeGraph();
  const operations: string[] = [];
  const sinks = graphSinks(graph, (operation) => operations.push(operation), { podCertificateRequests: true });
  const sinkOf = (resource: string) => {
    const found = sinks.find((sink) => sink.resource.resource === resource);
    if (found === undefined) throw new Error(`no sink of ${resource}`);
    return found;
  };
  const relates = (kind: GraphKind, namespace: string, name: string) =>
    graph.missingRelation('n1', kind, namespace, name) === undefined;
  return { graph, operations, sinkOf, relates };
}

const stored = (object: KubeObject): StoredObject => ({ object, resourceVersion: '1', wire: () => undefined });

const objects: Readonly<Record<string, readonly [kind: GraphKind, make: (name: string, node: string) => KubeObject]>> =
  {
    pods: [
      'pod',
      (name, nodeName) => ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { namespace: 'ns', name },
        spec: { nodeName, containers: [] },
      }),
    ],
    persistentvolumes: [
      'pv',
      (name) => ({
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name },
        spec: { claimRef: { namespace: 'ns', name: 'data' } },
      }),
    ],
    volumeattachments: [
      'volumeattachment',
      (name, nodeName) => ({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'VolumeAttachment',
        metadata: { name },
        spec: { nodeName },
      }),
    ],
    podcertificaterequests: [
      'podcertificaterequest',
      (name, nodeName) => ({
        apiVersion: 'certificates.k8s.io/v1beta1',
        kind: 'PodCertificateRequest',
        metadata: { namespace: 'ns', name },
        spec: { nodeName },
      }),
    ],
    resourceslices: [
      'resourceslice',
      (name, nodeName) => ({
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceSlice',
        metadata: { name },
        spec: { nodeName },
      }),
    ],
  };

function never(): never {
  throw new Error('no pods');
}

describe('graphSinks', () => {
  it.each(Object.entries(objects))('%s: a list and events change the graph', async (resource, [kind, make]) => {
    const { graph, operations, sinkOf, relates } = setUp();
    // The pod of the claim to which the volumes are bound.
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
    const spec = { nodeName: 'n1', containers: [], volumes };
    if (kind === 'pv') {
      graph.setPod({ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'ns', name: 'p' }, spec, status: {} });
    }
    const sink = sinkOf(resource);
    const namespace = kind === 'pod' || kind === 'podcertificaterequest' ? 'ns' : '';
    const states = () => ['a', 'b', 'c'].map((name) => relates(kind, namespace, name));
    await sink.replace([stored(make('a', 'n1')), stored(make('b', 'n1'))]);
    expect(states()).toEqual([true, true, false]);
    sink.event({ type: 'ADDED', object: stored(make('c', 'n1')), frames: new Map() });
    sink.event({ type: 'DELETED', object: stored(make('a', 'n1')), frames: new Map() });
    expect(states()).toEqual([false, true, true]);
    await sink.replace([stored(make('c', 'n1'))]);
    expect(states()).toEqual([false, false, true]);
    expect(new Set(operations).size).toBe(2);
    expect(operations.filter((operation) => operation.startsWith('Delete')).length).toBe(2);
  });

  it('follows PodCertificateRequests only while nodes may request them', () => {
    const followed = graphSinks(new NodeGraph(), () => {}).map(({ resource }) => resource.resource);
    expect(followed).toEqual(['pods', 'persistentvolumes', 'volumeattachments', 'resourceslices']);
  });

  it('gives others their turns while it takes and forgets a large list', async () => {
    const { graph, sinkOf } = setUp();
    const items = Array.from({ length: 50_000 }, (_, i) => stored(objects['pods']?.[1](`p${i}`, 'n1') ?? never()));
    let turns = 0;
    const count = setInterval(() => turns++, 0);
    await sinkOf('pods').replace(items);
    const filling = turns;
    await sinkOf('pods').replace([]);
    clearInterval(count);
    expect([filling > 2, turns - filling > 2, [...graph.podKeys()]]).toEqual([true, true, []]);
  });

  it('decodes large objects in turns', async () => {
    const { sinkOf, relates } = setUp();
    const object = objects['pods']?.[1]('large', 'n1') ?? never();
    const item: StoredObject = {
      get object(): never {
        throw new Error('decoded in one turn');
      },
      load: async () => object,
      resourceVersion: '1',
      wire: () => undefined,
    };
    await sinkOf('pods').replace([item]);
    expect(relates('pod', 'ns', 'large')).toBe(true);
  });
});
