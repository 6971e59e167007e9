import type { ClusterTrustBundle } from '@apiserver/api/certificates/v1beta1';
import type { ObjectMeta } from '@apiserver/apimachinery';
import { expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { testPluginDependencies } from '../testing/plugin-dependencies.js';
import { runPlugin } from '../testing/run-plugin.js';
import { clusterTrustBundleAttest } from './cluster-trust-bundle-attest.js';

const user = { name: 'jane', groups: [], extra: {} };
const bundle = (signerName = 'example.com/s', metadata: ObjectMeta = {}, trustBundle = 'pem'): ClusterTrustBundle => ({
  apiVersion: 'certificates.k8s.io/v1beta1',
  kind: 'ClusterTrustBundle',
  metadata: { name: 'example.com:s:a', ...metadata },
  spec: { ...(signerName !== '' && { signerName }), trustBundle },
});

const refused =
  'clustertrustbundles.certificates.k8s.io "example.com:s:a" is forbidden: user not permitted to attest for signerName "example.com/s"';

const owned: ObjectMeta = {
  finalizers: ['a'],
  ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }],
  managedFields: [{ manager: 'm' }],
};

it.each<
  [string, { may?: string; object?: ClusterTrustBundle; oldObject?: ClusterTrustBundle; gate?: string }, boolean]
>([
  ['a create', {}, false],
  ['a create by an attester', { may: 'attest example.com/s' }, true],
  ['a create by an attester of the domain', { may: 'attest example.com/*' }, true],
  ['a create by an approver', { may: 'approve example.com/s' }, false],
  ['a bundle without a signer', { object: bundle('') }, true],
  ['an update', { oldObject: bundle('example.com/s', {}, 'old') }, false],
  ['an update by an attester', { oldObject: bundle('example.com/s', {}, 'old'), may: 'attest example.com/s' }, true],
  ['an update without a change', { oldObject: bundle() }, true],
  ['an update by the garbage collector', { oldObject: bundle('example.com/s', owned) }, true],
  ['an update of labels', { oldObject: bundle('example.com/s', { labels: { a: 'b' } }) }, false],
  ['a create with the gate off', { gate: 'Other' }, true],
])('%s', async (_, { may, object = bundle(), oldObject, gate = 'ClusterTrustBundle' }, admitted) => {
  const dependencies = testPluginDependencies(
    {},
    { enabled: [gate], allows: ({ verb, resource, name }) => resource === 'signers' && `${verb} ${name}` === may },
  );
  const attributes = objectAttributes('clustertrustbundles.certificates.k8s.io', object, {
    user,
    ...(oldObject && { oldObject }),
  });
  expect(await runPlugin(clusterTrustBundleAttest(dependencies), attributes)).toEqual(
    admitted ? { object } : { refused },
  );
});

it('handles writes of bundles only', () => {
  const { handles } = clusterTrustBundleAttest(testPluginDependencies({}, { enabled: ['ClusterTrustBundle'] }));
  const scope = (resource: string) => objectAttributes(resource, bundle()).scope;
  const bundles = scope('clustertrustbundles.certificates.k8s.io');
  expect((['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const).map((operation) => handles(operation, bundles))).toEqual([
    ...[true, true, false, false],
  ]);
  expect(handles('CREATE', scope('clustertrustbundles.example.com'))).toBe(false);
});
