import { makeTestCertificateRequest } from '@apiserver/authentication/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';
import { bootstrapToken, NodeCluster, podOn, small } from './node-cluster.ts';

const missing = kubectlMissing();
const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const PODS = '/api/v1/namespaces/default/pods';

// The life of a node with kubeadm's way in: token, request, approval, certificate; then its work.
describe.skipIf(missing !== undefined)(`a kubelet${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let cluster: NodeCluster;
  let kubectl: Kubectl;
  let node: AdminClient;
  let nodeUid: string;

  /** `code message` of a request by the node. */
  const asked = async (method: string, path: string, body?: object, contentType?: string) => {
    const headers = contentType === undefined ? {} : { 'content-type': contentType };
    const { status, body: text } = await node.request(method, path, body, headers);
    return status < 300 ? String(status) : `${status} ${JSON.parse(text).message}`;
  };
  const merge = 'application/merge-patch+json';

  beforeAll(async () => {
    cluster = await NodeCluster.start();
    kubectl = new Kubectl(cluster.server.kubeconfig);
    const { id, secret } = bootstrapToken;
    await cluster.create([
      '/api/v1/namespaces/kube-system/secrets',
      {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'bootstrap.kubernetes.io/token',
        metadata: { name: `bootstrap-token-${id}` },
        stringData: { 'token-id': id, 'token-secret': secret, 'usage-bootstrap-authentication': 'true' },
      },
    ]);
    const binding = ['create', 'clusterrolebinding', 'kubeadm:kubelet-bootstrap'];
    await kubectl.ok([...binding, '--clusterrole=system:node-bootstrapper', '--group=system:bootstrappers']);
    await kubectl.ok(['create', 'serviceaccount', 'default']);
  });
  afterAll(async () => {
    kubectl?.[Symbol.dispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  it('gets a certificate for its token, when the administrator approves', async () => {
    const name = 'system:node:n1';
    const { request, key, publicKey } = makeTestCertificateRequest({
      commonName: name,
      organizations: ['system:nodes'],
    });
    const csr = {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'csr-n1' },
      spec: {
        request: Buffer.from(request).toString('base64'),
        signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
        usages: ['digital signature', 'client auth'],
      },
    };
    using stranger = new AdminClient(cluster.server.kubeconfig, { isStranger: true });
    const authorization = { authorization: `Bearer ${bootstrapToken.id}.${bootstrapToken.secret}` };
    const created = await stranger.request('POST', CSRS, csr, authorization);
    expect([created.status, JSON.parse(created.body).spec.username]).toEqual([201, 'system:bootstrap:abcdef']);
    const nodes = await stranger.request('GET', '/api/v1/nodes', undefined, authorization);
    expect([nodes.status, JSON.parse(nodes.body).message]).toEqual([
      403,
      'nodes is forbidden: User "system:bootstrap:abcdef" cannot list resource "nodes" in API group "" at the cluster scope',
    ]);

    await kubectl.ok(['certificate', 'approve', 'csr-n1']);
    const approved = await cluster.admin.json('GET', `${CSRS}/csr-n1`);
    const certificate = Buffer.from(cluster.sign({ publicKey }, name)).toString('base64');
    const signed = { ...approved, status: { ...Object(approved['status']), certificate } };
    expect((await cluster.admin.request('PUT', `${CSRS}/csr-n1/status`, signed)).status).toBe(200);

    const issued = await stranger.request('GET', `${CSRS}/csr-n1`, undefined, authorization);
    const cert = Buffer.from(JSON.parse(issued.body).status.certificate, 'base64').toString();
    node = cluster.clientOf({ cert, key });
    const who = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const { status } = await node.json('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', who);
    expect(status).toMatchObject({ userInfo: { username: name, groups: ['system:nodes', 'system:authenticated'] } });
  });

  it('registers its Node and reports its status', async () => {
    const labels = { 'kubernetes.io/hostname': 'n1', 'node.kubernetes.io/instance-type': 'small' };
    const own = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', labels } };
    const status = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
    expect([
      await asked('GET', '/api/v1/nodes/n1'),
      await asked('POST', '/api/v1/nodes', own),
      await asked('PATCH', '/api/v1/nodes/n1/status', status, merge),
      await asked('GET', '/api/v1/nodes?fieldSelector=metadata.name%3Dn1'),
      await asked('POST', '/api/v1/nodes', { ...own, metadata: { name: 'n2' } }),
      await asked(
        'PATCH',
        '/api/v1/nodes/n1',
        { metadata: { labels: { 'node-restriction.kubernetes.io/x': 'y' } } },
        merge,
      ),
      await asked('PATCH', '/api/v1/nodes/n1', { spec: { taints: [] } }, merge),
    ]).toEqual([
      '404 nodes "n1" not found',
      '201',
      '200',
      '200',
      '403 nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
      '403 nodes "n1" is forbidden: is not allowed to modify labels: node-restriction.kubernetes.io/x',
      '403 nodes "n1" is forbidden: node "n1" is not allowed to modify taints',
    ]);
    nodeUid = Object((await node.json('GET', '/api/v1/nodes/n1'))['metadata']).uid;
  });

  it('renews its lease, and no other', async () => {
    const lease = (name: string) => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name },
      spec: { holderIdentity: name, leaseDurationSeconds: 40 },
    });
    expect([
      await asked('POST', LEASES, lease('n1')),
      await asked('PATCH', `${LEASES}/n1`, { spec: { leaseDurationSeconds: 41 } }, merge),
      await asked('POST', LEASES, lease('n2')),
      await asked('GET', `${LEASES}/n2`),
    ]).toEqual([
      '201',
      '200',
      '403 leases.coordination.k8s.io "n2" is forbidden: can only access node lease with the same name as the requesting node',
      '403 leases.coordination.k8s.io "n2" is forbidden: User "system:node:n1" cannot get resource "leases" in API group "coordination.k8s.io" in the namespace "kube-node-lease": can only access node lease with the same name as the requesting node',
    ]);
  });

  it('reads what its pods need, and nothing else', async () => {
    const claim = {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeName: 'v' },
    };
    await cluster.create(
      small('Secret', 'secrets', 'of-n1'),
      small('Secret', 'secrets', 'of-n2'),
      small('Secret', 'secrets', 'of-volume'),
      small('ConfigMap', 'configmaps', 'of-n1'),
      small('ConfigMap', 'configmaps', 'of-n2'),
      small('PersistentVolumeClaim', 'persistentvolumeclaims', 'data', claim),
      [
        '/api/v1/persistentvolumes',
        {
          apiVersion: 'v1',
          kind: 'PersistentVolume',
          metadata: { name: 'v' },
          spec: {
            accessModes: ['ReadWriteOnce'],
            capacity: { storage: '1Gi' },
            claimRef: { namespace: 'default', name: 'data' },
            csi: { driver: 'd', volumeHandle: 'h', nodeStageSecretRef: { namespace: 'default', name: 'of-volume' } },
          },
        },
      ],
      podOn('n1', 'p1', {
        volumes: [
          { name: 's', secret: { secretName: 'of-n1' } },
          { name: 'c', configMap: { name: 'of-n1' } },
          { name: 'd', persistentVolumeClaim: { claimName: 'data' } },
        ],
      }),
      podOn('n2', 'p2', {
        imagePullSecrets: [{ name: 'of-n2' }],
        volumes: [{ name: 'c', configMap: { name: 'of-n2' } }],
      }),
    );
    const get = (resource: string) => asked('GET', `/api/v1/namespaces/default/${resource}`);
    // The graph follows by a watch.
    await expect.poll(() => get('secrets/of-volume')).toBe('200');
    const refused = (resource: string, name: string) =>
      `403 ${resource} "${name}" is forbidden: User "system:node:n1" cannot get resource "${resource}" in API group "" in the namespace "default": no relationship found between node 'n1' and this object`;
    expect([
      await get('secrets/of-n1'),
      await get('secrets?fieldSelector=metadata.name%3Dof-n1'),
      await get('secrets/of-n2'),
      await get('configmaps/of-n1'),
      await get('configmaps/of-n2'),
      await get('persistentvolumeclaims/data'),
      await asked('GET', '/api/v1/persistentvolumes/v'),
      await get('pods/p1'),
      await get('pods/p2'),
      await asked('GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Dn1'),
    ]).toEqual([
      '200',
      '200',
      refused('secrets', 'of-n2'),
      '200',
      refused('configmaps', 'of-n2'),
      '200',
      '200',
      '200',
      refused('pods', 'p2'),
      '200',
    ]);
  });

  it('reports on its pods, evicts them, and asks for their tokens', async () => {
    const running = { status: { phase: 'Running' } };
    const { metadata } = await node.json('GET', `${PODS}/p1`);
    const token = (name: string, uid: string) => ({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences: [], boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid } },
    });
    const tokens = '/api/v1/namespaces/default/serviceaccounts/default/token';
    expect([
      await asked('PATCH', `${PODS}/p1/status`, running, merge),
      await asked('PATCH', `${PODS}/p2/status`, running, merge),
      await asked('POST', tokens, token('p2', 'x')),
      await asked('POST', tokens, token('p1', Object(metadata).uid)),
      await asked('POST', `${PODS}/p2/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'p2' },
      }),
      await asked('DELETE', `${PODS}/p2`),
    ]).toEqual([
      '200',
      '403 pods "p2" is forbidden: node "n1" can only update pod status for pods with spec.nodeName set to itself',
      '403 serviceaccounts "default" is forbidden: the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
      '201',
      '403 pods "p2" is forbidden: node n1 can only evict pods with spec.nodeName set to itself',
      '403 pods "p2" is forbidden: node "n1" can only delete pods with spec.nodeName set to itself',
    ]);
  });

  it('creates mirror pods, which give it nothing', async () => {
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: nodeUid, controller: true };
    const mirror = (spec: object) => {
      const [path, object] = podOn('n1', 'static-n1', { serviceAccountName: '', ...spec });
      const annotations = { 'kubernetes.io/config.mirror': 'x', 'kubernetes.io/config.source': 'file' };
      return [path, { ...object, metadata: { name: 'static-n1', annotations, ownerReferences: [owner] } }] as const;
    };
    expect([
      await asked('POST', ...mirror({ volumes: [{ name: 'c', configMap: { name: 'of-n2' } }] })),
      await asked('POST', ...mirror({})),
      await asked('DELETE', `${PODS}/static-n1`),
    ]).toEqual([
      '403 pods "static-n1" is forbidden: node "n1" can not create pods that reference configmaps',
      '201',
      '200',
    ]);
  });

  it('loses what a deleted pod gave it', async () => {
    expect(await asked('GET', '/api/v1/namespaces/default/secrets/of-n1')).toBe('200');
    await kubectl.ok(['delete', 'pod', 'p1', '--force', '--grace-period=0']);
    await expect
      .poll(() => asked('GET', '/api/v1/namespaces/default/secrets/of-n1'))
      .toMatch(/^403 .* no relationship found/);
  });
});
