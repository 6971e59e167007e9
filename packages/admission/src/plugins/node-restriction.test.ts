import type { Node, Pod, PodSpec } from '@apiserver/api/core/v1';
import type { KubeObject, ObjectMeta } from '@apiserver/apimachinery';
import { certificateRequests } from '@apiserver/apimachinery/testing';
import type { AdmissionAttributes, Authorizer } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { objectAttributes, testAttributes } from '../testing/attributes.js';
import { type TestObjects, testPluginDependencies } from '../testing/plugin-dependencies.js';
import { runPlugin } from '../testing/run-plugin.js';
import { container, pod } from '../testing/sample-objects.js';
import { nodeRestriction } from './node-restriction.js';

const user = { name: 'system:node:n1', groups: ['system:nodes'], extra: {} };

function node(changes: Partial<ObjectMeta> = {}, spec: Node['spec'] = {}): Node {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', uid: 'u1', ...changes }, spec, status: {} } as Node;
}
const own = (spec: Partial<PodSpec> = {}, metadata: Partial<ObjectMeta> = {}) =>
  pod({ nodeName: 'n1', ...spec }, { uid: 'p1', ...metadata });
const unnamed = pod({ nodeName: 'n1' }, { name: '' });
const other = pod({ nodeName: 'n2' }, { name: 'q', uid: 'q1' });

type Allows = NonNullable<Parameters<typeof testPluginDependencies>[1]>['allows'];

async function answer(attributes: AdmissionAttributes, objects: TestObjects = {}, allows?: Allows): Promise<string> {
  const all = { nodes: [node()], pods: [own(), other], ...objects };
  const plugin = nodeRestriction(testPluginDependencies(all, allows && { allows }));
  const outcome = await runPlugin(plugin, { ...attributes, user: attributes.user ?? user });
  return 'refused' in outcome ? outcome.refused.replace(/^.* is forbidden: /, '') : '';
}

const deleted = (resource: string, name: string, namespace = 'ns') => {
  const { scope } = objectAttributes(resource, own());
  const { resource: gvr, subresource } = scope;
  return testAttributes({ operation: 'DELETE', resource: gvr, subresource, namespace, name, scope });
};

describe('handled requests', () => {
  it.each([
    [{ name: 'system:node:n1', groups: [], extra: {} }, ''],
    [{ name: 'n1', groups: ['system:nodes'], extra: {} }, ''],
    [
      { name: 'system:node:', groups: ['system:nodes'], extra: {} },
      'could not determine node from user "system:node:"',
    ],
  ])('%j', async (who, fault) => {
    expect(await answer(objectAttributes('nodes', node({ name: 'x' }), { user: who }))).toBe(fault);
  });
});

describe('pods', () => {
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u1', controller: true };
  const mirror = (spec: Partial<PodSpec> = {}, metadata: Partial<ObjectMeta> = {}): Pod =>
    own(spec, {
      name: 'm',
      annotations: { 'kubernetes.io/config.mirror': 'x' },
      ownerReferences: [owner],
      ...metadata,
    });
  const onlySelf = 'node "n1" can only create pods with an owner reference set to itself';
  const cannotRefer = (what: string) => `node "n1" can not create pods that reference ${what}`;
  const volume = (more: object) => ({ volumes: [{ name: 'v', ...more }] });

  it.each<[string, Pod, string]>([
    ['a mirror pod', mirror(), ''],
    [
      'another pod',
      own({}, { name: 'm' }),
      'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
    ],
    ['elsewhere', mirror({ nodeName: 'n2' }), 'node "n1" can only create pods with spec.nodeName set to itself'],
    ['without an owner', mirror({}, { ownerReferences: [] }), onlySelf],
    ['of another node', mirror({}, { ownerReferences: [{ ...owner, name: 'n2' }] }), onlySelf],
    [
      'of several',
      mirror({}, { ownerReferences: [owner, owner] }),
      'node "n1" can only create pods with a single owner reference set to itself',
    ],
    [
      'not controlled',
      mirror({}, { ownerReferences: [{ ...owner, controller: false }] }),
      'node "n1" can only create pods with a controller owner reference set to itself',
    ],
    [
      'blocking',
      mirror({}, { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] }),
      'node "n1" must not set blockOwnerDeletion on an owner reference',
    ],
    [
      'of an earlier node',
      mirror({}, { ownerReferences: [{ ...owner, uid: 'u0' }] }),
      'node n1 UID mismatch: expected u0 got u1',
    ],
    ['with an account', mirror({ serviceAccountName: 'a' }), cannotRefer('serviceaccounts')],
    ['with a secret', mirror(volume({ secret: { secretName: 's' } })), cannotRefer('secrets')],
    [
      'with a config map',
      mirror({ containers: [container({ envFrom: [{ configMapRef: { name: 'c' } }] })] }),
      cannotRefer('configmaps'),
    ],
    ['with a file of a config map', mirror(volume({ configMap: { name: 'c' } })), cannotRefer('configmaps')],
    [
      'with a part of a config map',
      mirror(volume({ projected: { sources: [{ configMap: { name: 'c' } }] } })),
      cannotRefer('configmaps'),
    ],
    [
      'with a trust bundle',
      mirror(volume({ projected: { sources: [{ clusterTrustBundle: { path: 'p' } }] } })),
      cannotRefer('clustertrustbundles'),
    ],
    ['with its own name in a file', mirror(volume({ projected: { sources: [{ downwardAPI: { items: [] } }] } })), ''],
    [
      'with a claim',
      mirror(volume({ persistentVolumeClaim: { claimName: 'c' } })),
      cannotRefer('persistentvolumeclaims'),
    ],
    [
      'with a source of no kind',
      mirror(volume({ projected: { sources: [{}] } })),
      'error checking mirror pod for API references: unknown source for projected volume "v"',
    ],
    ['with its own directory', mirror(volume({ emptyDir: {} })), ''],
    [
      'with a volume of a driver',
      mirror(volume({ csi: { driver: 'd' } })),
      cannotRefer('csidrivers (via CSI volumes)'),
    ],
    [
      'with a volume of an endpoint',
      mirror(volume({ glusterfs: { endpoints: 'e', path: 'p' } })),
      cannotRefer('endpoints (via glusterFS volumes)'),
    ],
    [
      'with a claim of its own',
      mirror(volume({ ephemeral: {} })),
      cannotRefer('persistentvolumeclaims (via ephemeral volumes)'),
    ],
    [
      'with a share',
      mirror(volume({ azureFile: { secretName: '', shareName: 's' } })),
      cannotRefer('secrets (via azureFile volumes)'),
    ],
    [
      'with a token',
      mirror(volume({ projected: { sources: [{ serviceAccountToken: { path: 'p' } }] } })),
      cannotRefer('serviceaccounts (via projected volumes)'),
    ],
    [
      'with a certificate',
      mirror(volume({ projected: { sources: [{ podCertificate: { signerName: 's', keyType: 'k' } }] } })),
      cannotRefer('podcertificates'),
    ],
    ['with a device', mirror({ resourceClaims: [{ name: 'd' }] }), cannotRefer('resourceclaims')],
  ])('created: %s', async (_what, object, fault) => {
    expect(await answer(objectAttributes('pods', object))).toBe(fault);
  });

  it.each<[string, AdmissionAttributes, string]>([
    ['its own deleted', deleted('pods', 'p'), ''],
    ['another deleted', deleted('pods', 'q'), 'node "n1" can only delete pods with spec.nodeName set to itself'],
    ['none deleted', deleted('pods', 'gone'), 'pod "gone" not found'],
    [
      'updated',
      objectAttributes('pods', own(), { oldObject: own() }),
      'unexpected operation "UPDATE", node "n1" can only create and delete mirror pods',
    ],
    ['its own status', objectAttributes('pods/status', own(), { oldObject: own() }), ''],
    [
      'the status of another',
      objectAttributes('pods/status', other, { oldObject: other }),
      'node "n1" can only update pod status for pods with spec.nodeName set to itself',
    ],
    [
      'labels',
      objectAttributes('pods/status', own({}, { labels: { a: 'b' } }), { oldObject: own() }),
      'node "n1" cannot update labels through pod status',
    ],
    [
      'devices',
      objectAttributes('pods/status', { ...own(), status: { resourceClaimStatuses: [{ name: 'd' }] } } as KubeObject, {
        oldObject: own(),
      }),
      'node "n1" cannot update resource claim statues',
    ],
    [
      'an extended device',
      objectAttributes(
        'pods/status',
        { ...own(), status: { extendedResourceClaimStatus: { resourceClaimName: 'd' } } } as KubeObject,
        { oldObject: own() },
      ),
      'node "n1" cannot update extended resource claim status',
    ],
    ['its own evicted', objectAttributes('pods/eviction', own()), ''],
    [
      'another evicted',
      objectAttributes('pods/eviction', other),
      'node n1 can only evict pods with spec.nodeName set to itself',
    ],
    [
      'none evicted',
      objectAttributes('pods/eviction', unnamed, { name: '' }),
      'could not determine pod from request data',
    ],
    [
      'an eviction updated',
      objectAttributes('pods/eviction', own(), { oldObject: own() }),
      'unexpected operation UPDATE',
    ],
    [
      'something else',
      objectAttributes('pods/binding', own()),
      `unexpected pod subresource "binding", only 'status' and 'eviction' are allowed`,
    ],
  ])('%s', async (_what, attributes, fault) => {
    expect(await answer(attributes)).toBe(fault);
  });
});

describe('nodes', () => {
  const labels = { 'kubernetes.io/hostname': 'a', 'x.node.kubernetes.io/y': 'a', 'example.com/z': 'a' };
  const forbidden = { 'node-restriction.kubernetes.io/a': '', 'a.k8s.io/b': '', 'kubernetes.io/c': '' };
  const names = 'a.k8s.io/b, kubernetes.io/c, node-restriction.kubernetes.io/a';
  const taints = [{ key: 'k', effect: 'NoSchedule' }];
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'p1' }];

  it.each<[string, Node, Node | undefined, string]>([
    ['itself', node({ labels }), undefined, ''],
    ['another', node({ name: 'n2' }), undefined, 'node "n1" is not allowed to modify node "n2"'],
    [
      'labels',
      node({ labels: forbidden }),
      undefined,
      `node "n1" is not allowed to set the following labels: ${names}`,
    ],
    [
      'a configuration',
      node({}, { configSource: {} }),
      undefined,
      'node "n1" is not allowed to create pods with a non-nil configSource',
    ],
    ['itself again', node({ labels }, { taints }), node({}, { taints }), ''],
    ['labels later', node({ labels: forbidden }), node(), `is not allowed to modify labels: ${names}`],
    ['labels away', node(), node({ labels: forbidden }), `is not allowed to modify labels: ${names}`],
    ['its taints', node({}, { taints: [] }), node({}, { taints }), 'node "n1" is not allowed to modify taints'],
    [
      'its owners and labels',
      node({ ownerReferences, labels: forbidden }),
      node(),
      'node "n1" is not allowed to modify ownerReferences',
    ],
    ['its owners', node({ ownerReferences }), node(), 'node "n1" is not allowed to modify ownerReferences'],
    [
      'another configuration',
      node({}, { configSource: {} }),
      node(),
      'node "n1" is not allowed to update configSource to a new non-nil configSource',
    ],
  ])('%s', async (_what, object, oldObject, fault) => {
    expect(await answer(objectAttributes('nodes', object, oldObject && { oldObject }))).toBe(fault);
  });
});

describe('other objects of the node', () => {
  const named = (name: string, namespace = '', more: object = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Any',
    metadata: { name, namespace },
    ...more,
  });
  const slice = (nodeName?: string) => named('s', '', { spec: { nodeName } });
  const sliceChange = (operation: 'UPDATE' | 'DELETE', nodeName: string) => {
    const oldObject = slice(nodeName);
    return objectAttributes('resourceslices.resource.k8s.io', oldObject, { operation, oldObject });
  };
  const sliceFault = (what: string) => `can only ${what} ResourceSlice with the same NodeName as the requesting node`;
  const lease = 'can only access node lease with the same name as the requesting node';
  const claim = (status: object, changes: Partial<ObjectMeta> = {}) => ({
    ...named('c', 'ns', { spec: {}, status }),
    metadata: { name: 'c', namespace: 'ns', ...changes },
  });

  it.each<[string, AdmissionAttributes, string]>([
    ['its lease', objectAttributes('leases.coordination.k8s.io', named('n1', 'kube-node-lease')), ''],
    ['another lease', objectAttributes('leases.coordination.k8s.io', named('n2', 'kube-node-lease')), lease],
    ['another lease deleted', deleted('leases.coordination.k8s.io', 'n2', 'kube-node-lease'), lease],
    [
      'a lease elsewhere',
      objectAttributes('leases.coordination.k8s.io', named('n1', 'ns')),
      'can only access leases in the "kube-node-lease" system namespace',
    ],
    [
      'another CSINode',
      objectAttributes('csinodes.storage.k8s.io', named('n2')),
      'can only access CSINode with the same name as the requesting node',
    ],
    ['its slice', objectAttributes('resourceslices.resource.k8s.io', slice('n1')), ''],
    ['a slice of all nodes', objectAttributes('resourceslices.resource.k8s.io', slice()), sliceFault('create')],
    ['another slice changed', sliceChange('UPDATE', 'n2'), ''],
    ['its slice deleted', sliceChange('DELETE', 'n1'), ''],
    ['another slice deleted', sliceChange('DELETE', 'n2'), sliceFault('delete')],
    ['a claim', objectAttributes('persistentvolumeclaims', claim({})), 'may only update PVC status'],
    [
      'how big a claim is',
      objectAttributes(
        'persistentvolumeclaims/status',
        claim({ capacity: { storage: '2' } }, { resourceVersion: '2' }),
        {
          oldObject: claim({ conditions: [] }),
        },
      ),
      '',
    ],
    [
      'a claim with empty members that the old one lacks',
      objectAttributes('persistentvolumeclaims/status', claim({ accessModes: [] }, { labels: {} }), {
        oldObject: claim({}),
      }),
      '',
    ],
    [
      'the labels of a claim',
      objectAttributes('persistentvolumeclaims/status', claim({}, { labels: { a: 'b' } }), { oldObject: claim({}) }),
      'node "n1" is not allowed to update fields other than status.quantity and status.conditions',
    ],
    [
      'more of a claim',
      objectAttributes('persistentvolumeclaims/status', claim({ phase: 'Bound' }), { oldObject: claim({}) }),
      'node "n1" is not allowed to update fields other than status.quantity and status.conditions',
    ],
  ])('%s', async (_what, attributes, fault) => {
    expect(await answer(attributes)).toBe(fault);
  });
});

describe('tokens', () => {
  const request = (bound: object | undefined, audiences: string[] = []): AdmissionAttributes =>
    objectAttributes(
      'serviceaccounts/token',
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: {},
        spec: { audiences, boundObjectRef: bound },
      } as KubeObject,
      { namespace: 'ns', name: 'robot' },
    );
  const bound = { kind: 'Pod', apiVersion: 'v1', name: 'p', uid: 'p1' };
  const unheard = (audience: string) =>
    `audience "${audience}" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience`;
  const withVolume = (more: object) => ({ pods: [own({ volumes: [{ name: 'v', ...more }] })] });
  const projected = (audience?: string) =>
    withVolume({ projected: { sources: [{ serviceAccountToken: { path: 't', ...(audience && { audience }) } }] } });
  const driver = {
    apiVersion: 'v1',
    kind: 'CSIDriver',
    metadata: { name: 'd' },
    spec: { tokenRequests: [{ audience: 'a' }] },
  };
  const claims = {
    ...withVolume({ persistentVolumeClaim: { claimName: 'c' } }),
    persistentvolumeclaims: [
      { apiVersion: 'v1', kind: 'Any', metadata: { name: 'c', namespace: 'ns' }, spec: { volumeName: 'pv' } },
    ],
    persistentvolumes: [{ apiVersion: 'v1', kind: 'Any', metadata: { name: 'pv' }, spec: { csi: { driver: 'd' } } }],
    csidrivers: [driver],
  };

  it.each<[string, AdmissionAttributes, TestObjects, string]>([
    ['not bound', request(undefined), {}, 'node requested token not bound to a pod'],
    ['bound to a secret', request({ ...bound, kind: 'Secret' }), {}, 'node requested token not bound to a pod'],
    ['without a UID', request({ ...bound, uid: '' }), {}, 'node requested token with a pod binding without a uid'],
    ['of no pod', request({ ...bound, name: 'gone' }), {}, 'pod "gone" not found'],
    [
      'of an earlier pod',
      request({ ...bound, uid: 'p0' }),
      {},
      'the UID in the bound object reference (p0) does not match the UID in record. The object might have been deleted and then recreated',
    ],
    [
      'of a pod elsewhere',
      request({ ...bound, name: 'q', uid: 'q1' }),
      {},
      'node requested token bound to a pod scheduled on a different node',
    ],
    ['that no volume asks for', request(bound), {}, unheard('')],
    ['that a volume asks for', request(bound), projected(), ''],
    ['for its audience', request(bound, ['a']), projected('a'), ''],
    ['for another audience', request(bound, ['b']), projected('a'), unheard('b')],
    ['for an odd audience', request(bound, ['\u0001']), projected('a'), unheard('\\x01')],
    ['for two audiences', request(bound, ['a', 'b']), projected('a'), 'node may only request 0 or 1 audiences'],
    [
      'that a driver asks for',
      request(bound, ['a']),
      { ...withVolume({ csi: { driver: 'd' } }), csidrivers: [driver] },
      '',
    ],
    ['that the driver of a claim asks for', request(bound, ['a']), claims, ''],
    ['that no driver asks for', request(bound, ['b']), claims, unheard('b')],
    [
      'of a missing driver',
      request(bound, ['a']),
      withVolume({ csi: { driver: 'd' } }),
      'error validating audience "a": csidriver.storage.k8s.io "d" not found',
    ],
    [
      'of a missing claim',
      request(bound, ['a']),
      withVolume({ persistentVolumeClaim: { claimName: 'c' } }),
      'error validating audience "a": persistentvolumeclaim "c" not found',
    ],
    [
      'of a missing volume',
      request(bound, ['a']),
      { ...claims, persistentvolumes: [] },
      'error validating audience "a": persistentvolume "pv" not found',
    ],
    [
      'that the driver of a migrated volume asks for',
      request(bound, ['a']),
      {
        ...withVolume({ azureFile: { secretName: 's', shareName: 'x' } }),
        csidrivers: [{ ...driver, metadata: { name: 'file.csi.azure.com' } }],
      },
      '',
    ],
  ])('%s', async (_what, attributes, objects, fault) => {
    expect(await answer(attributes, objects)).toBe(fault);
  });

  it('are granted for an audience by a virtual verb', async () => {
    const asked: unknown[] = [];
    const allows: Allows = ({ user: { name: who }, ...asks }) => {
      asked.push({ ...asks, who });
      return true;
    };
    expect(await answer(request(bound, ['a']), {}, allows)).toBe('');
    expect(asked).toEqual([
      {
        verb: 'request-serviceaccounts-token-audience',
        who: 'system:node:n1',
        readOnly: false,
        isResourceRequest: true,
        apiGroup: '',
        apiVersion: 'v1',
        namespace: 'ns',
        resource: 'a',
        subresource: '',
        name: 'robot',
        path: '',
      },
    ]);
  });

  it('are granted without an audience by the same verb', async () => {
    expect(await answer(request(bound), {}, ({ resource }) => resource === '')).toBe('');
  });

  it('are refused with the error of the authorizer', async () => {
    const authorizer: Authorizer = {
      authorize: () => ({ decision: 'NoOpinion', reason: '', error: new Error('unreachable') }),
    };
    const plugin = nodeRestriction(testPluginDependencies({ pods: [own()] }, { authorizer }));
    const fault =
      'audience "a" not found in pod spec volume, error authorizing system:node:n1 to request tokens for this audience: unreachable';
    const outcome = await runPlugin(plugin, { ...request(bound, ['a']), user });
    expect(outcome).toEqual({ refused: expect.stringContaining(fault) });
  });
});

describe('certificate signing requests', () => {
  const kubelet = 'kubernetes.io/kube-apiserver-client-kubelet';
  const request = (signerName: string, pem: string): KubeObject => ({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'r' },
    spec: { signerName, request: Buffer.from(pem).toString('base64') },
  });
  const unread = 'unable to parse csr: PEM block type must be CERTIFICATE REQUEST';

  it.each<[string, KubeObject, string]>([
    ['its own', request(kubelet, certificateRequests.rsa), ''],
    ['of another', request(kubelet, certificateRequests.pss), 'can only create a node CSR with CN=system:node:n1'],
    ['unread', request('kubernetes.io/kubelet-serving', ''), unread],
    ['to another signer', request('example.com/s', certificateRequests.pss), ''],
  ])('%s', async (_what, object, fault) => {
    const resource = 'certificatesigningrequests.certificates.k8s.io';
    expect(await answer(objectAttributes(resource, object))).toBe(fault);
    expect(await answer(objectAttributes(resource, object, { oldObject: object }))).toBe('');
  });
});
