import type { Container, Namespace, Node, NodeStatus, Pod, PodSpec } from '@apiserver/api/core/v1';
import type { ObjectMeta } from '@apiserver/apimachinery';

/** A container "c" of image "i". */
export function container(changes: Partial<Container> = {}): Container {
  return { name: 'c', image: 'i', resources: {}, ...changes };
}

/** Pod "p" in namespace "ns" with one container, with a test's changes. */
export function pod(spec: Partial<PodSpec> = {}, metadata: Partial<ObjectMeta> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'ns', ...metadata },
    spec: { containers: [container()], ...spec },
    status: {},
  };
}

/** Namespace "ns" with annotations. */
export function namespace(annotations: Record<string, string> = {}): Namespace {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns', annotations }, spec: {}, status: {} };
}

/** Node "n" with a test's labels and status. */
export function node(status: Partial<NodeStatus> = {}, labels: Record<string, string> = {}): Node {
  const nodeInfo = {
    machineID: '',
    systemUUID: '',
    bootID: '',
    kernelVersion: '',
    osImage: '',
    containerRuntimeVersion: '',
    kubeletVersion: '',
    kubeProxyVersion: '',
    operatingSystem: '',
    architecture: '',
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', labels },
    spec: {},
    status: { daemonEndpoints: { kubeletEndpoint: { Port: 0 } }, nodeInfo, ...status },
  };
}
