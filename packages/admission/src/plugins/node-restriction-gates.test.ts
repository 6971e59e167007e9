import type { KubeObject } from '@apiserver/apimachinery';
import { certificateRequests } from '@apiserver/apimachinery/testing';
import { expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { testPluginDependencies } from '../testing/plugin-dependencies.js';
import { runPlugin } from '../testing/run-plugin.js';
import { pod } from '../testing/sample-objects.js';
import { nodeRestriction } from './node-restriction.js';

const user = { name: 'system:node:n1', groups: ['system:nodes'], extra: {} };
const tokenRequest: KubeObject & { spec: object } = {
  ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {} },
  spec: { audiences: ['a', 'b'], boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p', uid: 'p1' } },
};
const signingRequest: KubeObject & { spec: object } = {
  ...{ apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: { name: 'r' } },
  spec: {
    signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
    request: Buffer.from(certificateRequests.pss).toString('base64'),
  },
};

it.each<[gate: string, resource: string, object: KubeObject, isAllowed: readonly [off: boolean, on: boolean]]>([
  ['ServiceAccountNodeAudienceRestriction', 'serviceaccounts/token', tokenRequest, [true, false]],
  [
    'AllowInsecureKubeletCertificateSigningRequests',
    'certificatesigningrequests.certificates.k8s.io',
    signingRequest,
    [false, true],
  ],
])('%s changes what a node may ask of %s', async (gate, resource, object, isAllowed) => {
  const allowed = async (isOn: boolean) => {
    const pods = [pod({ nodeName: 'n1' }, { uid: 'p1' })];
    const features = { enabled: (name: string) => name === gate && isOn };
    const plugin = nodeRestriction(testPluginDependencies({ pods }, { features }));
    const attributes = objectAttributes(resource, object, { namespace: 'ns', name: 'robot' });
    return !('refused' in (await runPlugin(plugin, { ...attributes, user })));
  };
  expect([await allowed(false), await allowed(true)]).toEqual(isAllowed);
});
