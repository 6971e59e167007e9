import type { ClusterTrustBundle } from '@apiserver/api/certificates/v1beta1';
import type { ObjectMeta } from '@apiserver/apimachinery';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { CERTIFICATE, KEY } from '../../testing/self-signed-pair.js';
import { clusterTrustBundles } from './index.js';
import { bundleErrors } from './validation.js';

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

/** Of an authority whose key usage has no signing of certificates. */
const WITHOUT_SIGNING = `-----BEGIN CERTIFICATE-----
MIIBeTCCASCgAwIBAgIUY0pagpXHCOiQRvA6g90s4/Sh4DgwCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBYTAeFw0yNjExMjkxNjExMzRaFw0yNjEyMjkxNjExMzRaMAwx
CjAIBgNVBAMMAWEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARx7JCKcJgeTbGv
3/UoKQMQMXc2fMnAyKDZUwT4cUL7UGyBQv3adMEEENWH3L7rLbKJZNDupqqruAWz
Pd/q4T4Bo2AwXjAdBgNVHQ4EFgQUUalfiI5F+rJSQsRwy+1Z21jBkCEwHwYDVR0j
BBgwFoAUUalfiI5F+rJSQsRwy+1Z21jBkCEwCwYDVR0PBAQDAgeAMA8GA1UdEwEB
/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgNKIJ/G+vWKTaQV1wzJEYaywoLFHE
5FeFFrV64KzkCdICIHlLRjhaylcWbSa3sU0JZvxw0xO7FF18J8yg1QosuoX2
-----END CERTIFICATE-----
`;
/** Of no authority, though its key usage is the signing of certificates. */
const WITHOUT_AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBdzCCAR2gAwIBAgIUDIqxapZqL9mruQAfYcqh68FtzKowCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBYTAeFw0yNjExMjkxNjEyMTRaFw0yNjEyMjkxNjEyMTRaMAwx
CjAIBgNVBAMMAWEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARF8c8QZHYqsVr5
apmQ17IhvKYc4CVq/+SnoJJzbV1CqQxBQ+BeVKCN4G/DT/X4BTzDIZo3mt9CIB5G
cYOUjNCWo10wWzAdBgNVHQ4EFgQUpb52gXMOZPAkNIDvaWSUImNbG+UwHwYDVR0j
BBgwFoAUpb52gXMOZPAkNIDvaWSUImNbG+UwDAYDVR0TAQH/BAIwADALBgNVHQ8E
BAMCAgQwCgYIKoZIzj0EAwIDSAAwRQIgISzt2bTNdC2tkODpE52VKRi0r5Ox0Jes
+S0UzMp2i9MCIQD2N7EZPDb5HtuzIwgX7L8P8Ji4hFog5sXUftEJWlQU1A==
-----END CERTIFICATE-----
`;

const { strategy } = clusterTrustBundles;

async function faultsOf(object: ClusterTrustBundle, old?: ClusterTrustBundle): Promise<string> {
  const first = old === undefined ? strategy.validate(context, object) : strategy.validateUpdate(context, object, old);
  const further = (await strategy.validateInTurns?.(context, object, old, first)) ?? [];
  return aggregateFieldErrors([...first, ...further]);
}

describe('ClusterTrustBundle', () => {
  it.each<[string, ClusterTrustBundle, string]>([
    ['a certificate', bundle(CERTIFICATE), ''],
    ['text around it', bundle(`a\n${CERTIFICATE}b`), ''],
    ['no certificate', bundle(''), fault('at least one trust anchor must be provided')],
    ['a key', bundle(`${CERTIFICATE}${KEY}`), fault('entry 1 has bad block type: PRIVATE KEY')],
    ['headers', bundle(withHeaders), fault('entry 0 has PEM block headers')],
    ['garbage', bundle(garbage), fault('entry 0 does not parse as X.509')],
    ['an authority of another key usage', bundle(WITHOUT_SIGNING), ''],
    [
      'a certificate of no authority',
      bundle(CERTIFICATE + WITHOUT_AUTHORITY),
      fault('entry 1 does not have the CA bit set'),
    ],
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
  ])('with %s', async (_, object, message) => {
    expect(await faultsOf(object)).toBe(message);
  });

  it('has a name that is valid behind the signer', async () => {
    expect(await faultsOf(ofSigner('example.com:s:A'))).toMatch(
      /^metadata.name: Invalid value: "example.com:s:A": a lowercase/,
    );
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
  ])('is updated with %s', async (_, object, old, message) => {
    expect(await faultsOf(object, old)).toBe(message);
  });

  it('reports its certificates before a changed signer', async () => {
    const old = bundle(CERTIFICATE, 'example.com/t', { name: 'example.com:s:a' });
    const changed = bundle(garbage, 'example.com/s', { name: 'example.com:s:a' });
    expect(await faultsOf(changed, old)).toBe(
      `[${fault('entry 0 does not parse as X.509')}, spec.signerName: Invalid value: "example.com/s": field is immutable]`,
    );
  });

  it('parses each certificate in a step', () => {
    const steps = bundleErrors(bundle(CERTIFICATE.repeat(10)), undefined);
    const before = Array.from({ length: 10 }, () => steps.next().done);
    expect([before, steps.next().done]).toEqual([Array(10).fill(false), true]);
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
