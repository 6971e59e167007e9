import type { PersistentVolume, Pod } from '@apiserver/api/core/v1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GraphKind, NodeGraph } from './node-graph.js';
import { podReferences } from './pod-references.js';
import { volumeSecrets } from './volume-secrets.js';

function pod(name: string, node: string, secrets: readonly string[], claims: readonly string[] = []): Pod {
  const volumes = claims.map((claimName, i) => ({ name: `v${i}`, persistentVolumeClaim: { claimName } }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'ns', name, uid: `${name}-${node}-${secrets}-${claims}` },
    spec: { nodeName: node, containers: [], volumes, imagePullSecrets: secrets.map((secret) => ({ name: secret })) },
    status: {},
  };
}

function volume(name: string, claim: string | undefined, secret: string): PersistentVolume {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    status: {},
    spec: {
      ...(claim === undefined ? {} : { claimRef: { namespace: 'ns', name: claim } }),
      rbd: { monitors: [], image: '', secretRef: { name: secret } },
    },
  };
}

const isRelated = (graph: NodeGraph, node: string, kind: GraphKind, name: string) =>
  graph.missingRelation(node, kind, kind === 'pv' ? '' : 'ns', name) === undefined;

describe('NodeGraph', () => {
  it('forgets references with the last pod that has them', () => {
    const graph = new NodeGraph();
    graph.setPod(pod('a', 'n1', ['s']));
    graph.setPod(pod('b', 'n1', ['s']));
    graph.setPod(pod('c', 'n2', ['s']));
    graph.deletePod('ns', 'a');
    expect([isRelated(graph, 'n1', 'secret', 's'), isRelated(graph, 'n2', 'secret', 's')]).toEqual([true, true]);
    graph.deletePod('ns', 'b');
    graph.deletePod('ns', 'b');
    expect([isRelated(graph, 'n1', 'secret', 's'), isRelated(graph, 'n2', 'secret', 's')]).toEqual([false, true]);
  });

  it('forgets a pod for a new one of its name that has no node yet', () => {
    const graph = new NodeGraph();
    graph.setPod(pod('a', 'n1', ['old']));
    graph.setPod(pod('other', 'n1', []));
    expect([graph.setPod(pod('a', '', ['new'])), graph.setPod(pod('a', '', ['new']))]).toEqual([true, false]);
    expect(['old', 'new'].map((secret) => isRelated(graph, 'n1', 'secret', secret))).toEqual([false, false]);
    expect([isRelated(graph, 'n1', 'pod', 'a'), isRelated(graph, 'n1', 'pod', 'other')]).toEqual([false, true]);
  });

  it('changes a pod only when its node, UID, claims or ephemeral containers change', () => {
    const graph = new NodeGraph();
    const first = pod('a', 'n1', ['s']);
    expect([graph.setPod(first), graph.setPod(structuredClone(first))]).toEqual([true, false]);
    const debugged: Pod = {
      ...first,
      spec: {
        ...first.spec,
        ephemeralContainers: [{ name: 'd', resources: {}, envFrom: [{ secretRef: { name: 'debug' } }] }],
      },
    };
    expect([graph.setPod(debugged), isRelated(graph, 'n1', 'secret', 'debug')]).toEqual([true, true]);
    const extended = {
      ...first,
      status: { extendedResourceClaimStatus: { resourceClaimName: 'x', requestMappings: [] } },
    };
    expect([graph.setPod(extended), isRelated(graph, 'n1', 'resourceclaim', 'x')]).toEqual([true, true]);
    expect(isRelated(graph, 'n1', 'secret', 'debug')).toBe(false);
  });

  it('leads from a secret over volume and claim to the pod, in whatever order they come', () => {
    const graph = new NodeGraph();
    graph.setVolume(volume('pv', 'data', 's'));
    expect(isRelated(graph, 'n1', 'secret', 's')).toBe(false);
    graph.setPod(pod('a', 'n1', [], ['data']));
    expect([isRelated(graph, 'n1', 'secret', 's'), isRelated(graph, 'n1', 'pv', 'pv')]).toEqual([true, true]);
    graph.setVolume(volume('pv', 'other', 's'));
    expect(isRelated(graph, 'n1', 'secret', 's')).toBe(false);
  });

  interface Cluster {
    readonly pods: Map<string, Pod>;
    readonly volumes: Map<string, PersistentVolume>;
  }

  /** The result of a walk over all objects, as upstream walks over edges. */
  function walk(cluster: Cluster, node: string, kind: GraphKind, name: string): boolean {
    const pods = [...cluster.pods.values()].filter(({ spec }) => spec.nodeName === node);
    const volumes = [...cluster.volumes.values()];
    const reaches = (of: string, to: string) =>
      pods.some((one) => [...podReferences(one)].some(([k, n]) => k === of && n === to));
    const bound = (one: PersistentVolume) => reaches('pvc', one.spec.claimRef?.name ?? '-');
    if (kind === 'pv') return volumes.some((one) => one.metadata.name === name && bound(one));
    if (reaches(kind, name)) return true;
    return kind === 'secret' && volumes.some((one) => bound(one) && volumeSecrets(one).some(([, n]) => n === name));
  }

  const few = (prefix: string) => fc.integer({ min: 0, max: 2 }).map((n) => `${prefix}${n}`);
  const change = fc.oneof(
    fc.record({
      set: fc.constant('pod' as const),
      name: few('p'),
      node: few('n'),
      secrets: fc.array(few('s')),
      claims: fc.array(few('c')),
    }),
    fc.record({
      set: fc.constant('volume' as const),
      name: few('v'),
      claim: fc.option(few('c'), { nil: undefined }),
      secret: few('s'),
    }),
    fc.record({ remove: fc.constantFrom('pod' as const, 'volume' as const), number: fc.integer({ min: 0, max: 2 }) }),
  );

  it('answers as a walk over all objects would, after any changes', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const graph = new NodeGraph();
        const cluster: Cluster = { pods: new Map(), volumes: new Map() };
        for (const one of changes) {
          if ('remove' in one && one.remove === 'pod') {
            cluster.pods.delete(`p${one.number}`);
            graph.deletePod('ns', `p${one.number}`);
          } else if ('remove' in one) {
            cluster.volumes.delete(`v${one.number}`);
            graph.deleteVolume(`v${one.number}`);
          } else if (one.set === 'pod') {
            cluster.pods.set(one.name, pod(one.name, one.node, one.secrets, one.claims));
            graph.setPod(pod(one.name, one.node, one.secrets, one.claims));
          } else {
            cluster.volumes.set(one.name, volume(one.name, one.claim, one.secret));
            graph.setVolume(volume(one.name, one.claim, one.secret));
          }
        }
        for (const node of ['n0', 'n1', 'n2']) {
          for (const number of [0, 1, 2]) {
            for (const [kind, name] of [
              ['secret', `s${number}`],
              ['pvc', `c${number}`],
              ['pv', `v${number}`],
            ] as const) {
              const expected = walk(cluster, node, kind, name);
              expect([node, kind, name, isRelated(graph, node, kind, name)]).toEqual([node, kind, name, expected]);
            }
          }
        }
      }),
    );
  });
});

describe('volumeSecrets', () => {
  const of = (spec: PersistentVolume['spec']) =>
    volumeSecrets({ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'v' }, spec, status: {} });
  const claimRef = { namespace: 'claims', name: 'c' };
  it.each<[string, PersistentVolume['spec'], (readonly [string, string])[]]>([
    ['azureFile of the claim', { claimRef, azureFile: { secretName: 's', shareName: '' } }, [['claims', 's']]],
    ['azureFile', { claimRef, azureFile: { secretName: 's', shareName: '', secretNamespace: 'n' } }, [['n', 's']]],
    ['cephfs', { claimRef, cephfs: { monitors: [], secretRef: { name: 's', namespace: 'n' } } }, [['n', 's']]],
    ['cephfs without a secret', { claimRef, cephfs: { monitors: [] } }, []],
    [
      'cinder, which names its namespace',
      { claimRef, cinder: { volumeID: '', secretRef: { name: 's' } } },
      [['', 's']],
    ],
    ['iscsi', { claimRef, iscsi: { targetPortal: '', iqn: '', lun: 0, secretRef: { name: 's' } } }, [['claims', 's']]],
    [
      'csi, all but those of the controller',
      {
        csi: {
          driver: '',
          volumeHandle: '',
          controllerPublishSecretRef: { name: 'c', namespace: 'n' },
          controllerExpandSecretRef: { name: 'e', namespace: 'n' },
          nodeStageSecretRef: { name: 'stage', namespace: 'n' },
          nodePublishSecretRef: { name: 'publish', namespace: 'n' },
          nodeExpandSecretRef: { name: 'expand', namespace: 'n' },
        },
      },
      [
        ['n', 'publish'],
        ['n', 'stage'],
        ['n', 'expand'],
      ],
    ],
    ['no secret', { hostPath: { path: '/' } }, []],
  ])('%s', (_what, spec, secrets) => {
    expect(of(spec)).toEqual(secrets);
  });
});
