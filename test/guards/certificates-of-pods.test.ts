import { certificateRequests } from '@apiserver/apimachinery/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { core, object, paths, pod } from './objects.ts';

const VERSION = 'certificates.k8s.io/v1beta1';
const REQUESTS = `/apis/${VERSION}/namespaces/default/podcertificaterequests`;
const FLAGS = [
  '--authorization-mode=Node',
  '--enable-admission-plugins=NodeRestriction',
  `--runtime-config=${VERSION}`,
];
const PODS = paths.in('default', 'pods');
const DEPLOYMENTS = paths.inGroup('apps', 'default', 'deployments');
const stubPKCS10Request = certificateRequests.ed25519.replaceAll(/-----.*-----|\n/g, '');
const kubelet = (node: string) => ({ name: `system:node:${node}`, groups: ['system:nodes', 'system:authenticated'] });
const [n1, n2] = [kubelet('n1'), kubelet('n2')];

const podCertificate = { signerName: 'example.com/s', keyType: 'ED25519', credentialBundlePath: 'bundle' };
const clusterTrustBundle = { name: 'anchors', path: 'anchors' };
const downwardAPI = { items: [{ path: 'name', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } }] };
const volumes = [{ name: 'v', projected: { sources: [{ podCertificate }, { clusterTrustBundle }, { downwardAPI }] } }];
const sourcesOf = (spec: { volumes: typeof volumes }) => spec.volumes[0]?.projected.sources;

function deployment(name: string): object {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }], volumes } };
  return object('apps/v1', 'Deployment', name, { spec: { selector: { matchLabels: labels }, template } });
}

describe('a server with certificates of pods', () => {
  const gates = ['ClusterTrustBundle', 'ClusterTrustBundleProjection', 'PodCertificateRequest'];
  const server = assembledServer(`--feature-gates=${gates.map((gate) => `${gate}=true`).join(',')}`, ...FLAGS);
  const uids = new Map<string, string>();
  /** A request for a pod, with what the pod and its node are known by. */
  const request = (podName: string, nodeName: string, changes: object = {}) =>
    object(VERSION, 'PodCertificateRequest', `for-${podName}`, {
      spec: {
        signerName: 'example.com/s',
        podName,
        podUID: uids.get(podName),
        serviceAccountName: 'robot',
        serviceAccountUID: uids.get('robot'),
        nodeName,
        nodeUID: uids.get(nodeName),
        stubPKCS10Request,
        ...changes,
      },
    });

  beforeAll(async () => {
    const accounts = paths.in('default', 'serviceaccounts');
    const objects: readonly (readonly [path: string, name: string, sent: object])[] = [
      ...['n1', 'n2'].map((name) => [paths.nodes, name, core('Node', name)] as const),
      [accounts, 'robot', core('ServiceAccount', 'robot')],
      ...['n1', 'n2'].map((nodeName) => {
        const name = `on-${nodeName}`;
        return [PODS, name, pod(name, { nodeName, serviceAccountName: 'robot', volumes })] as const;
      }),
    ];
    for (const [path, name, sent] of objects) uids.set(name, (await server.make(path, sent)).metadata.uid);
    await server.until(201, () => server.ask('POST', REQUESTS, request('on-n1', 'n1'), n1));
    await server.until(200, () => server.ask('GET', `${REQUESTS}/for-on-n1`, undefined, n1));
  });

  it('keeps the sources of volumes in pods and templates', async () => {
    const { body } = await server.ask('GET', `${PODS}/on-n1`);
    const made = await server.make(DEPLOYMENTS, deployment('d'));
    const sources = [{ podCertificate }, { clusterTrustBundle }, { downwardAPI }];
    expect([sourcesOf(body.spec), sourcesOf(made.spec.template.spec)]).toEqual([sources, sources]);
  });

  it('checks the sources', async () => {
    const sources = [{ podCertificate: { ...podCertificate, keyType: 'RSA2048' } }, { clusterTrustBundle: {} }];
    const odd = pod('odd', { serviceAccountName: 'robot', volumes: [{ name: 'v', projected: { sources } }] });
    const { code, body } = await server.ask('POST', PODS, odd);
    const fields = body.details.causes.map(({ field }: { field: string }) => field);
    const at = (rest: string) => `spec.volumes[0].projected.sources${rest}`;
    expect([code, fields]).toEqual([
      422,
      [at('[0].podCertificate.keyType'), at('[1].clusterTrustBundle'), at('[1].clusterTrustBundle.path')],
    ]);
  });

  it('lets a node read the requests of its own pods, and the account and the bundles that it needs', async () => {
    const own = await server.ask('GET', `${REQUESTS}?fieldSelector=spec.nodeName=n1`, undefined, n1);
    const account = await server.ask('GET', `${paths.in('default', 'serviceaccounts')}/robot`, undefined, n1);
    const bundles = await server.ask('GET', `/apis/${VERSION}/clustertrustbundles`, undefined, n1);
    expect([own.code, own.body.items.length, account.code, bundles.code]).toEqual([200, 1, 200, 200]);
  });

  const unselected = 'can only list/watch podcertificaterequests with nodeName field selector';
  it.each<[string, `${string} ${string}`, object | undefined, string]>([
    ['lists those of all nodes', `GET ${REQUESTS}`, undefined, unselected],
    ['lists those of another node', `GET ${REQUESTS}?fieldSelector=spec.nodeName=n1`, undefined, unselected],
    [
      'reads one of another node',
      `GET ${REQUESTS}/for-on-n1`,
      undefined,
      "no relationship found between node 'n2' and this object",
    ],
    ['changes one', `PATCH ${REQUESTS}/for-on-n1`, {}, 'nodes may not patch podcertificaterequests'],
    [
      'signs one',
      `PATCH ${REQUESTS}/for-on-n1/status`,
      {},
      'nodes may not access the status subresource of PodCertificateRequests',
    ],
  ])('refuses a node that %s', async (_what, where, sent, reason) => {
    const [method = '', path = ''] = where.split(' ');
    const { code, body } = await server.ask(method, path, sent, n2);
    expect([code, body.message]).toEqual([403, expect.stringContaining(reason)]);
  });

  it('refuses requests for pods elsewhere, and asks to try again for those of another UID', async () => {
    const ask = (sent: object) => server.ask('POST', REQUESTS, sent, n2);
    const elsewhere = await ask(request('on-n1', 'n2'));
    const earlier = await ask(request('on-n2', 'n2', { podUID: 'earlier' }));
    expect([elsewhere.code, elsewhere.body.message]).toEqual([
      403,
      'podcertificaterequests.certificates.k8s.io "for-on-n1" is forbidden: pod "default/on-n1" is not running on node "n2" named in the PodCertificateRequest',
    ]);
    const differs = `which differs from running pod "${uids.get('on-n2')}"`;
    expect(earlier).toEqual({
      code: 500,
      body: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        code: 500,
        message: `PodCertificateRequest for pod "default/on-n2" contains pod UID ("earlier") ${differs}`,
      },
    });
  });
});

describe('a server without these features', () => {
  const server = assembledServer(...FLAGS);

  it('drops the sources, and has no requests', async () => {
    await server.make(paths.in('default', 'serviceaccounts'), core('ServiceAccount', 'default'));
    const made = await server.make(PODS, pod('p', { nodeName: 'n1', volumes }));
    const template = (await server.make(DEPLOYMENTS, deployment('d'))).spec.template;
    const sources = [{}, {}, { downwardAPI }];
    expect([sourcesOf(made.spec), sourcesOf(template.spec)]).toEqual([sources, sources]);
    expect((await server.ask('GET', `${REQUESTS}?fieldSelector=spec.nodeName=n1`)).code).toBe(404);
    expect((await server.ask('GET', `${REQUESTS}?fieldSelector=spec.nodeName=n1`, undefined, n1)).code).toBe(403);
  });
});
