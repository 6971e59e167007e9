import { describe, expect, it } from 'vitest';
import { podFaults } from '../../../testing/pod-faults.js';

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const NO_SIGNER = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
const PROJECTED = 'spec.volumes[0].projected';

/** The faults of a volume with these sources, after the path of the first source or of the volume. */
function faultsOf(...sources: readonly object[]): readonly string[] {
  return podFaults({ volumes: [{ name: 'v', projected: { sources } }] }).map((fault) => fault.slice(PROJECTED.length));
}

describe('a source of trust bundles', () => {
  const at = (rest: string) => `.sources[0].clusterTrustBundle${rest}`;

  it.each<[string, object, readonly string[]]>([
    ['by name', { name: 'b', path: 'p' }, []],
    ['by the name of a bundle of a signer', { name: 'example.com:s:b', path: 'p' }, []],
    ['by signer', { signerName: 'example.com/s', path: 'p', optional: true }, []],
    [
      'by signer and labels',
      { signerName: 'example.com/s', path: 'p', labelSelector: { matchLabels: { a: 'b' } } },
      [],
    ],
    [
      'by name and signer',
      { name: 'b', signerName: 'example.com/s', path: 'p' },
      [
        at(
          ': Invalid value: {"Name":"b","SignerName":"example.com/s","LabelSelector":null,"Optional":null,"Path":"p"}: only one of name and signerName may be used',
        ),
      ],
    ],
    ['by nothing', { path: 'p' }, [at(': Required value: either name or signerName must be specified')]],
    [
      'by an empty name',
      { name: '', path: 'p' },
      [
        at('.name: Required value: must be a valid object name'),
        at(`.name: Invalid value: "": not a valid clustertrustbundlename: ${SUBDOMAIN}`),
      ],
    ],
    [
      'by an invalid name',
      { name: 'B', path: 'p' },
      [at(`.name: Invalid value: "B": not a valid clustertrustbundlename: ${SUBDOMAIN}`)],
    ],
    [
      'by an invalid name of a bundle of a signer',
      { name: 'example.com:s:B', path: 'p' },
      [at(`.name: Invalid value: "example.com:s:B": not a valid clustertrustbundlename: ${SUBDOMAIN}`)],
    ],
    [
      'by a name without the signer before its colon',
      { name: ':b', path: 'p' },
      [
        at(
          '.name: Invalid value: ":b": not a valid clustertrustbundlename: ClusterTrustBundle without signer name must not have ":" in its name',
        ),
      ],
    ],
    [
      'by name and labels',
      { name: 'b', path: 'p', labelSelector: { matchLabels: { a: 'b' } } },
      [
        at(
          '.labelSelector: Invalid value: {"matchLabels":{"a":"b"}}: labelSelector must be unset if name is specified',
        ),
      ],
    ],
    [
      'by an empty signer',
      { signerName: '', path: 'p' },
      [
        at('.signerName: Required value: must be a valid signer name'),
        at('.signerName: Required value'),
        at(`.signerName: Invalid value: "": ${NO_SIGNER}`),
      ],
    ],
    [
      'by invalid labels',
      { signerName: 'example.com/s', path: 'p', labelSelector: { matchLabels: { a: '-' } } },
      [at(`.labelSelector.matchLabels: Invalid value: "-": ${LABEL_VALUE}`)],
    ],
    ['without a path', { name: 'b' }, [at('.path: Required value')]],
    ['outside of the volume', { name: 'b', path: '../p' }, [at(`.path: Invalid value: "../p": must not contain '..'`)]],
    ['at an absolute path', { name: 'b', path: '/p' }, [at('.path: Invalid value: "/p": must be a relative path')]],
  ])('%s', (_what, clusterTrustBundle, faults) => {
    expect(faultsOf({ clusterTrustBundle })).toEqual(faults);
  });
});

describe('a source with a certificate of the pod', () => {
  const at = (rest: string) => `.sources[0].podCertificate${rest}`;
  const certificate = (changes: object = {}) => ({
    signerName: 'example.com/s',
    keyType: 'ED25519',
    credentialBundlePath: 'b',
    ...changes,
  });
  const kubernetes = { signerName: 'kubernetes.io/s' };

  it.each<[string, object, readonly string[]]>([
    ['a bundle', certificate(), []],
    ['a key and a chain', certificate({ credentialBundlePath: '', keyPath: 'k', certificateChainPath: 'c' }), []],
    ['the shortest lifetime', certificate({ maxExpirationSeconds: 3600 }), []],
    ['the longest lifetime', certificate({ maxExpirationSeconds: 7_862_400 }), []],
    ['the longest lifetime of Kubernetes', certificate({ ...kubernetes, maxExpirationSeconds: 86_400 }), []],
    ['annotations', certificate({ userAnnotations: { 'example.com/a': 'b' } }), []],
    [
      'nothing',
      {},
      [
        at('.signerName: Required value'),
        at(`.signerName: Invalid value: "": ${NO_SIGNER}`),
        at(
          '.keyType: Unsupported value: "": supported values: "RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"',
        ),
        at(': Required value: specify at least one of credentialBundlePath, keyPath, and certificateChainPath'),
      ],
    ],
    [
      'a lifetime that is too short',
      certificate({ maxExpirationSeconds: 3599 }),
      [at('.maxExpirationSeconds: Invalid value: 3599: if provided, maxExpirationSeconds must be >= 3600')],
    ],
    [
      'a lifetime that is too long',
      certificate({ maxExpirationSeconds: 7_862_401 }),
      [at('.maxExpirationSeconds: Invalid value: 7862401: if provided, maxExpirationSeconds must be <= 7862400')],
    ],
    [
      'a lifetime that is too long for Kubernetes',
      certificate({ ...kubernetes, maxExpirationSeconds: 86_401 }),
      [at('.maxExpirationSeconds: Invalid value: 86401: if provided, maxExpirationSeconds must be <= 86400')],
    ],
    [
      'an annotation without a domain',
      certificate({ userAnnotations: { a: 'b' } }),
      [at('.userAnnotations: Invalid value: "a": must be a domain-prefixed key (such as "acme.io/foo")')],
    ],
    [
      'reserved paths',
      certificate({ credentialBundlePath: '..b', keyPath: '/k', certificateChainPath: 'a/../c' }),
      [
        at(`.credentialBundlePath: Invalid value: "..b": must not start with '..'`),
        at('.keyPath: Invalid value: "/k": must be a relative path'),
        at(`.certificateChainPath: Invalid value: "a/../c": must not contain '..'`),
      ],
    ],
    ['one path for two files', certificate({ keyPath: 'b' }), [': Invalid value: "b": conflicting duplicate paths']],
  ])('%s', (_what, podCertificate, faults) => {
    expect(faultsOf({ podCertificate })).toEqual(faults);
  });
});

it('refuses one path for the files of two sources, and two kinds in one source', () => {
  const bundle = { name: 'b', path: 'p' };
  const certificate = { signerName: 'example.com/s', keyType: 'RSA4096', keyPath: 'p' };
  const duplicate = ': Invalid value: "p": conflicting duplicate paths';
  expect([
    faultsOf({ clusterTrustBundle: bundle }, { clusterTrustBundle: bundle }),
    faultsOf({ clusterTrustBundle: bundle }, { podCertificate: certificate }),
    faultsOf({ clusterTrustBundle: bundle, podCertificate: { ...certificate, keyPath: 'k' } }),
    faultsOf({ clusterTrustBundle: { name: 'b' } }, { clusterTrustBundle: { name: 'b' } }),
  ]).toEqual([
    [duplicate],
    [duplicate],
    ['.sources[0]: Forbidden: may not specify more than 1 volume type per source'],
    [
      '.sources[0].clusterTrustBundle.path: Required value',
      '.sources[1].clusterTrustBundle.path: Required value',
      ': Invalid value: "": conflicting duplicate paths',
    ],
  ]);
});
