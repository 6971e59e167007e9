import type { PodCertificateRequest } from '@apiserver/api/certificates/v1beta1';
import type { PersistentVolume, Pod } from '@apiserver/api/core/v1';
import type { ResourceSlice } from '@apiserver/api/resource/v1';
import type { VolumeAttachment } from '@apiserver/api/storage/v1';
import type { GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { loadedObject, type StoredObject, type WatchEvent, whenLoaded } from '@apiserver/apiserver-contracts';
import type { NamingKind, NodeGraph } from './node-graph.js';

/** Takes the objects of one resource into the graph. A follower of the resource calls it. */
export interface GraphSink<T extends KubeObject = KubeObject> {
  readonly resource: GroupVersionResource;
  /** A fresh list: what is missing from it is forgotten. It gives others their turns. */
  replace(listed: readonly StoredObject<T>[]): Promise<void>;
  /** The next event must wait for a promise: a large object is decoded in several turns. */
  event(event: WatchEvent<T>): Promise<void> | void;
}

/** Called after each change of the graph; milliseconds. */
export type GraphObserver = (operation: string, milliseconds: number) => void;

/** Feature gates of the Node authorizer. */
export interface NodeAuthorizerFeatures {
  /** The gate PodCertificateRequest. Default: false; nodes then have no access to PodCertificateRequests. */
  readonly podCertificateRequests?: boolean;
}

/**
 * The resources that relate objects to nodes.
 * Upstream: AddGraphEventHandlers of plugin/pkg/auth/authorizer/node/graph_populator.go
 */
export function graphSinks(
  graph: NodeGraph,
  observe: GraphObserver,
  { podCertificateRequests = false }: NodeAuthorizerFeatures = {},
): readonly GraphSink[] {
  return [
    sink<Pod>({
      resource: { group: '', version: 'v1', resource: 'pods' },
      name: 'Pod',
      observe,
      set: (pod) => graph.setPod(pod),
      remove: (namespace, name) => graph.deletePod(namespace, name),
      keys: () => graph.podKeys(),
    }),
    sink<PersistentVolume>({
      resource: { group: '', version: 'v1', resource: 'persistentvolumes' },
      name: 'PV',
      observe,
      set: (volume) => graph.setVolume(volume),
      remove: (_namespace, name) => graph.deleteVolume(name),
      keys: () => graph.volumeNames(),
    }),
    sink<VolumeAttachment>({
      resource: { group: 'storage.k8s.io', version: 'v1', resource: 'volumeattachments' },
      observe,
      name: 'VolumeAttachment',
      ...naming(graph, 'volumeattachment', ({ spec }) => spec.nodeName),
    }),
    sink<ResourceSlice>({
      resource: { group: 'resource.k8s.io', version: 'v1', resource: 'resourceslices' },
      observe,
      name: 'ResourceSlice',
      ...naming(graph, 'resourceslice', ({ spec }) => spec.nodeName ?? ''),
    }),
    ...(podCertificateRequests ? [podCertificateRequestSink(graph, observe)] : []),
  ];
}

/** NodeRestriction has checked the node of a request against its pod. */
function podCertificateRequestSink(graph: NodeGraph, observe: GraphObserver): GraphSink {
  return sink<PodCertificateRequest>({
    resource: { group: 'certificates.k8s.io', version: 'v1beta1', resource: 'podcertificaterequests' },
    observe,
    name: 'PodCertificateRequest',
    ...naming(graph, 'podcertificaterequest', ({ spec }) => spec.nodeName),
  });
}

/** The part of a sink for objects that name their node. */
function naming<T extends KubeObject>(
  graph: NodeGraph,
  kind: NamingKind,
  nodeOf: (object: T) => string,
): Pick<SinkOptions<T>, 'set' | 'remove' | 'keys'> {
  return {
    set: (object) => graph.setNodeOf(kind, object.metadata, nodeOf(object)),
    remove: (namespace, name) => void graph.setNodeOf(kind, { namespace, name }, ''),
    keys: () => graph.namesOf(kind),
  };
}

interface SinkOptions<T> {
  readonly resource: GroupVersionResource;
  /** The kind in the names of operations. */
  readonly name: string;
  readonly observe: GraphObserver;
  /** Returns false if nothing has changed. */
  set(object: T): boolean;
  remove(namespace: string, name: string): void;
  /** Names, after their namespace and a slash if there is one. */
  keys(): Iterable<string>;
}

function sink<T extends KubeObject>({ resource, name, observe, ...graph }: SinkOptions<T>): GraphSink<T> {
  const set = (object: T) => {
    const started = performance.now();
    if (graph.set(object)) observe(`Add${name}`, performance.now() - started);
  };
  const remove = (namespace: string, of: string) => {
    const started = performance.now();
    graph.remove(namespace, of);
    observe(`Delete${name}`, performance.now() - started);
  };
  return {
    resource,
    async replace(listed) {
      const slice = new TimeSlice();
      const seen = new Set<string>();
      for (const [i, item] of listed.entries()) {
        const object = await loadedObject(item);
        seen.add(keyOf(object));
        set(object);
        if (slice.overAt(i, 16, item.byteLength ?? 0)) await slice.yield();
      }
      const gone = [...graph.keys()].filter((key) => !seen.has(key));
      for (const [i, key] of gone.entries()) {
        remove(...namespacedNameOf(key));
        if (slice.overAt(i, 16, 0)) await slice.yield();
      }
    },
    event({ type, object }) {
      return whenLoaded(object, (loaded) => {
        const { namespace = '', name: of = '' } = loaded.metadata;
        if (type === 'DELETED') remove(namespace, of);
        else set(loaded);
      });
    },
  };
}

function keyOf({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

function namespacedNameOf(key: string): readonly [namespace: string, name: string] {
  const slash = key.indexOf('/');
  return [key.slice(0, Math.max(slash, 0)), key.slice(slash + 1)];
}
