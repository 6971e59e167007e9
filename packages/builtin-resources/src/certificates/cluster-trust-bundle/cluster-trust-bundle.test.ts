import type { ClusterTrustBundle } from '@apiserver/api/certificates/v1beta1';
import type { ObjectMeta } from '@apiserver/apimachinery';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { CERTIFICATE, KEY } from '../../testing/self-signed-pair.js';
import { clusterTrustBundles } from './index.js';

const context = testContext({ namespace: '' });

function bundle(trustBundle: string, signerName = '', metadata: ObjectMeta = {}): ClusterTrustBundle {
  return {
    apiVersion: 'certificates.k8s.io/v1beta1',
    kind: 'ClusterTrustBundle',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1', ...metadata },
    spec: { ...(signerName !== '' && { signerName }), trustBundle },
  };
}

const ofSigner = (name: string) => bundle(CERTIFICATE, 'example.com/s', { name });
const fault = (text: string) => `spec.trustBundle: Invalid value: "<value omitted>": ${text}`;
const garbage = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const withHeaders = CERTIFICATE.replace('-----\n', '-----\nA: b\n\n');

describe('ClusterTrustBundle', () => {
  it.each<[string, ClusterTrustBundle, string]>([
    ['a certificate', bundle(CERTIFICATE), ''],
    ['text around it', bundle(`a\n${CERTIFICATE}b`), ''],
    ['no certificate', bundle(''), fault('at least one trust anchor must be provided')],
    ['a key', bundle(`${CERTIFICATE}${KEY}`), fault('entry 1 has bad block type: PRIVATE KEY')],
    ['headers', bundle(withHeaders), fault('entry 0 has PEM block headers')],
    ['garbage', bundle(garbage), fault('entry 0 does not parse as X.509')],
    ['the same twice', bundle(CERTIFICATE + CERTIFICATE), fault('duplicate trust anchor (indices [0 1])')],
    ['too much', bundle('x'.repeat(1024 * 1024 + 1)), 'spec.trustBundle: Too long: may not be more than 1048576 bytes'],
    ['a signer', ofSigner('example.com:s:a'), ''],
    [
      'a name without the signer',
      ofSigner('a'),
      'metadata.name: Invalid value: "a": ClusterTrustBundle for signerName example.com/s must be named with prefix example.com:s:',
    ],
    [
      'a signer in the name only',
      bundle(CERTIFICATE, '', { name: 'example.com:s:a' }),
      'metadata.name: Invalid value: "example.com:s:a": ClusterTrustBundle without signer name must not have ":" in its name',
    ],
    [
      'an invalid signer',
      bundle(CERTIFICATE, 'x', { name: 'x:a' }),
      `spec.signerName: Invalid value: "x": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
    ],
  ])('with %s', (_, object, message) => {
    expect(aggregateFieldErrors(clusterTrustBundles.strategy.validate(context, object))).toBe(message);
  });

  it('has a name that is valid behind the signer', () => {
    const errors = clusterTrustBundles.strategy.validate(context, ofSigner('example.com:s:A'));
    expect(aggregateFieldErrors(errors)).toMatch(/^metadata.name: Invalid value: "example.com:s:A": a lowercase/);
  });

  it.each<[string, ClusterTrustBundle, ClusterTrustBundle, string]>([
    ['certificates that were valid once', bundle(garbage), bundle(garbage), ''],
    ['other certificates', bundle(garbage), bundle(CERTIFICATE), fault('entry 0 does not parse as X.509')],
    [
      'another signer',
      bundle(CERTIFICATE, 'example.com/s', { name: 'example.com:s:a' }),
      bundle(CERTIFICATE, 'example.com/t', { name: 'example.com:s:a' }),
      'spec.signerName: Invalid value: "example.com/s": field is immutable',
    ],
  ])('is updated with %s', (_, object, old, message) => {
    const errors = clusterTrustBundles.strategy.validateUpdate(context, object, old);
    expect(aggregateFieldErrors(errors)).toBe(message);
  });

  it('is printed and selected by its signer', () => {
    const cells = (object: ClusterTrustBundle) =>
      clusterTrustBundles.columns.map(({ cell }) => cell(object, rowTime(0)));
    expect([cells(bundle('')), cells(ofSigner('b'))]).toEqual([
      ['a', '<none>'],
      ['b', 'example.com/s'],
    ]);
    expect(clusterTrustBundles.selectableFields?.(ofSigner('b'))).toEqual({ 'spec.signerName': 'example.com/s' });
  });

  it('is stored as v1beta1', () => {
    expect([clusterTrustBundles.hubVersion, clusterTrustBundles.storageVersion]).toEqual(['v1beta1', 'v1beta1']);
  });
});
