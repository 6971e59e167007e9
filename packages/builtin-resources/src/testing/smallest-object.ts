import type { KubeObject } from '@apiserver/apimachinery';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import { certificateRequests } from '@apiserver/apimachinery/testing';
import type { AnyResourceDefinition, ResourceVersionDefinition } from '@apiserver/apiserver-contracts';
import { pemContent } from './pem-content.js';
import { CERTIFICATE } from './self-signed-pair.js';

const POD_SPEC = { containers: [{ name: 'c', image: 'i' }] };
const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: POD_SPEC };
const JOB_SPEC = { template: { spec: { ...POD_SPEC, restartPolicy: 'Never' } } };
const WORKLOAD = { spec: { selector: { matchLabels: { a: 'b' } }, template: TEMPLATE } };

const MATCH = { resourceRules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }] };
const MUTATION = { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } };

/** Required fields, beside metadata, of the smallest valid object, by kind. */
const REQUIRED_FIELDS: Readonly<Record<string, object>> = {
  CertificateSigningRequest: {
    spec: {
      request: Buffer.from(certificateRequests.ed25519).toString('base64'),
      signerName: 'example.com/signer',
      usages: ['client auth'],
    },
  },
  ClusterTrustBundle: { spec: { trustBundle: CERTIFICATE } },
  ClusterRoleBinding: { roleRef: { kind: 'ClusterRole', name: 'r' } },
  ControllerRevision: { data: {}, revision: 1 },
  CSIStorageCapacity: { storageClassName: 'fast' },
  CSINode: { spec: { drivers: [] } },
  CronJob: { spec: { schedule: '0 0 * * *', jobTemplate: { spec: JOB_SPEC } } },
  DaemonSet: WORKLOAD,
  Deployment: WORKLOAD,
  DeviceTaintRule: { spec: { taint: { key: 'example.com/a', effect: 'NoSchedule' } } },
  EndpointSlice: { addressType: 'IPv4', endpoints: [], ports: [] },
  Event: {
    eventTime: '2030-01-01T00:00:00.000000Z',
    involvedObject: { namespace: 'ns' },
    reportingComponent: 'example.com/c',
    reportingInstance: 'i',
    action: 'a',
    reason: 'r',
    type: 'Normal',
  },
  FlowSchema: { spec: { priorityLevelConfiguration: { name: 'p' } } },
  HorizontalPodAutoscaler: {
    spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
  },
  Ingress: { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
  IngressClass: { spec: { controller: 'example.com/c' } },
  IPAddress: { spec: { parentRef: { resource: 'services', namespace: 'ns', name: 's' } } },
  Job: { spec: JOB_SPEC },
  LeaseCandidate: {
    spec: { leaseName: 'l', binaryVersion: '1.0.0', emulationVersion: '1.0.0', strategy: 'OldestEmulationVersion' },
  },
  MutatingAdmissionPolicy: {
    spec: { matchConstraints: MATCH, mutations: [MUTATION], reinvocationPolicy: 'Never' },
  },
  MutatingAdmissionPolicyBinding: { spec: { policyName: 'p' } },
  Pod: { spec: POD_SPEC },
  PodCertificateRequest: {
    spec: {
      signerName: 'example.com/signer',
      podName: 'p',
      podUID: 'p',
      serviceAccountName: 's',
      serviceAccountUID: 's',
      nodeName: 'n',
      nodeUID: 'n',
      stubPKCS10Request: pemContent(certificateRequests.ed25519),
    },
  },
  PodGroup: { spec: { schedulingPolicy: { basic: {} } } },
  PodTemplate: { template: TEMPLATE },
  ReplicaSet: WORKLOAD,
  ReplicationController: { spec: { template: TEMPLATE } },
  PersistentVolume: {
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/data' } },
  },
  PersistentVolumeClaim: {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  PriorityLevelConfiguration: { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } },
  ResourcePoolStatusRequest: { spec: { driver: 'd.example.com' } },
  ResourceSlice: {
    spec: { driver: 'd.example.com', pool: { name: 'p', generation: 0, resourceSliceCount: 1 }, allNodes: true },
  },
  RoleBinding: { roleRef: { kind: 'Role', name: 'r' } },
  RuntimeClass: { handler: 'h' },
  Service: { spec: { ports: [{ port: 80 }] } },
  ServiceCIDR: { spec: { cidrs: ['10.0.0.0/24'] } },
  StatefulSet: WORKLOAD,
  StorageClass: { provisioner: 'example.com/disk' },
  StorageVersionMigration: { spec: { resource: { group: 'apps', resource: 'deployments' } } },
  ValidatingAdmissionPolicy: { spec: { matchConstraints: MATCH, validations: [{ expression: 'true' }] } },
  ValidatingAdmissionPolicyBinding: { spec: { policyName: 'p', validationActions: ['Deny'] } },
  VolumeAttachment: { spec: { attacher: 'example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } } },
  VolumeAttributesClass: { driverName: 'example.com', parameters: { iops: '100' } },
  Workload: { spec: { podGroupTemplates: [{ name: 'a', schedulingPolicy: { basic: {} } }] } },
};

/** The smallest valid object, decoded as if a client had sent it. */
export function smallestObject(
  definition: AnyResourceDefinition,
  codec: KindCodec,
  name: string | undefined,
): KubeObject {
  const { group, version, kind } = codec.gvk;
  const sent = {
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    metadata: name === undefined ? { generateName: 'g-' } : { name },
    ...REQUIRED_FIELDS[definition.kind],
  };
  const { object } = codec.decodeJson(Buffer.from(JSON.stringify(sent)), 'Strict');
  codec.applyDefaults(object);
  const hub = hubOf(definition);
  hub.applyDefaults?.(object);
  hub.normalize?.(object);
  return object;
}

/** The version in which strategies work. */
export function hubOf(definition: AnyResourceDefinition): ResourceVersionDefinition {
  const hub = definition.versions.find(({ version }) => version === definition.hubVersion);
  if (hub === undefined) throw new Error(`${definition.resource} has no hub`);
  return hub;
}
