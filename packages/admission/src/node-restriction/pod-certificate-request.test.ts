import type { PodSpec } from '@apiserver/api/core/v1';
import type { KubeObject, ObjectMeta } from '@apiserver/apimachinery';
import { StatusError } from '@apiserver/apimachinery/errors';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { nodeRestriction } from '../plugins/node-restriction.js';
import { objectAttributes } from '../testing/attributes.js';
import { type TestObjects, testPluginDependencies } from '../testing/plugin-dependencies.js';
import { pod } from '../testing/sample-objects.js';

const RESOURCE = 'podcertificaterequests.certificates.k8s.io';
const user = { name: 'system:node:n1', groups: ['system:nodes'], extra: {} };
const GATE = ['PodCertificateRequest'];

const named = (kind: string, name: string, uid: string, namespace?: string): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, uid, ...(namespace !== undefined && { namespace }) },
});
const ofPod = (spec: Partial<PodSpec> = {}, metadata: Partial<ObjectMeta> = {}) =>
  pod({ nodeName: 'n1', serviceAccountName: 'robot', ...spec }, { uid: 'p1', ...metadata });

const objects: TestObjects = {
  nodes: [named('Node', 'n1', 'u1'), named('Node', 'n2', 'u2')],
  pods: [ofPod()],
  serviceaccounts: [named('ServiceAccount', 'robot', 'a1', 'ns')],
};

function request(changes: object = {}): KubeObject {
  const spec = {
    signerName: 'example.com/s',
    nodeName: 'n1',
    nodeUID: 'u1',
    podName: 'p',
    podUID: 'p1',
    serviceAccountName: 'robot',
    serviceAccountUID: 'a1',
    ...changes,
  };
  const metadata = { name: 'r', namespace: 'ns' };
  return { apiVersion: 'certificates.k8s.io/v1beta1', kind: 'PodCertificateRequest', metadata, spec };
}

const FORBIDDEN = 'podcertificaterequests.certificates.k8s.io "r" is forbidden: ';

/** The code and message of the refusal; "" without one. */
async function answer(
  attributes: AdmissionAttributes,
  known: TestObjects = objects,
  enabled: readonly string[] = GATE,
): Promise<string> {
  const plugin = nodeRestriction(testPluginDependencies(known, { enabled }));
  expect(plugin.handles(attributes.operation, attributes.scope)).toBe(true);
  try {
    await plugin.admit?.({ ...attributes, user: attributes.user ?? user });
    return '';
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { code, reason, message = '' } = error.status;
    return `${code} ${reason ?? 'without a reason'}: ${message.replace(FORBIDDEN, '')}`;
  }
}

const created = (changes?: object) => objectAttributes(RESOURCE, request(changes));
const unknownYet = (message: string) => `500 without a reason: ${message}`;
const refused = (message: string) => `403 Forbidden: ${message}`;
const FOR_POD = 'PodCertificateRequest for pod "ns/p"';

it.each<[what: string, changes: object, known: TestObjects, outcome: string]>([
  ['for its own pod', {}, {}, ''],
  [
    'in the name of another node',
    { nodeName: 'n2', nodeUID: 'u2' },
    {},
    refused('PodCertificateRequest.Spec.NodeName="n2", which is not the requesting node "n1"'),
  ],
  [
    'by a node that is not known',
    {},
    { nodes: [] },
    unknownYet('while retrieving node "n1" named in the PodCertificateRequest: node "n1" not found'),
  ],
  [
    'by an earlier node of the name',
    { nodeUID: 'u0' },
    {},
    unknownYet(`${FOR_POD} names node UID "u0", inconsistent with the running node ("u1")`),
  ],
  [
    'for a pod that is not known',
    { podName: 'x' },
    {},
    unknownYet('while retrieving pod "ns/x" named in the PodCertificateRequest: pod "x" not found'),
  ],
  [
    'for an earlier pod of the name',
    { podUID: 'p0' },
    {},
    unknownYet(`${FOR_POD} contains pod UID ("p0") which differs from running pod "p1"`),
  ],
  [
    'for a pod elsewhere',
    {},
    { pods: [ofPod({ nodeName: 'n2' })] },
    refused('pod "ns/p" is not running on node "n1" named in the PodCertificateRequest'),
  ],
  [
    'for a pod that is not scheduled',
    {},
    { pods: [ofPod({ nodeName: '' })] },
    refused('pod "ns/p" is not running on node "n1" named in the PodCertificateRequest'),
  ],
  [
    'for a mirror pod',
    {},
    { pods: [ofPod({}, { annotations: { 'kubernetes.io/config.mirror': '' } })] },
    refused('pod "ns/p" is a mirror pod'),
  ],
  [
    'for another account',
    { serviceAccountName: 'x' },
    {},
    refused(`${FOR_POD} contains serviceAccountName ("x") that differs from running pod ("robot")`),
  ],
  [
    'for an account that is not known',
    {},
    { serviceaccounts: [] },
    unknownYet(
      'while retrieving service account "ns/robot" named in the PodCertificateRequest: serviceaccount "robot" not found',
    ),
  ],
  [
    'for an earlier account of the name',
    { serviceAccountUID: 'a0' },
    {},
    unknownYet(`${FOR_POD} names service account UID "a0", which differs from the running service account ("a1")`),
  ],
])('a node requests a certificate %s', async (_what, changes, known, outcome) => {
  expect(await answer(created(changes), { ...objects, ...known })).toBe(outcome);
});

it('a node only creates requests', async () => {
  const object = request();
  expect([
    await answer(objectAttributes(RESOURCE, object, { oldObject: object })),
    await answer({ ...created(), operation: 'DELETE' }),
    await answer({ ...created(), subresource: 'status' }),
  ]).toEqual([
    refused('unexpected operation UPDATE'),
    refused('unexpected operation DELETE'),
    refused('unexpected subresource status'),
  ]);
});

it('a node requests nothing while the feature is off', async () => {
  const disabled = refused('PodCertificateRequest feature gate is disabled');
  expect(await answer(created(), objects, [])).toBe(disabled);
});

it('others request for whatever they name', async () => {
  const bob = { name: 'bob', groups: [], extra: {} };
  expect(await answer({ ...created({ nodeName: 'n9', podName: 'x' }), user: bob })).toBe('');
});
