import { Buffer } from 'node:buffer';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { newNotFound } from '@apiserver/apimachinery/errors';
import type { TokenRecorder } from '@apiserver/apiserver-contracts';
import { silentLogger as logger } from '@apiserver/apiserver-contracts/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeTestCertificate } from '../testing/index.js';
import { TokenError } from '../token-error.js';
import { createServiceAccountAuthenticators } from './create-service-account-authenticators.js';
import { staticKeys } from './key-source.js';
import { JWKS_PATH, openIdMetadata } from './open-id-metadata.js';
import { parseSigningKey, parseVerificationKeys, verificationKey } from './public-keys.js';
import { signWithKey } from './sign-with-key.js';
import { createTokenGenerator, type TokenOrder } from './token-generator.js';
import type { TokenObject, TokenObjectGetter, TokenSecret, TokenServiceAccount } from './token-objects.js';

const issuer = 'https://issuer.example';
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const pem = (key: KeyObject) => String(key.export({ type: 'pkcs8', format: 'pem' }));
const start = Date.parse('2030-01-01T00:00:00Z');

let now: number;
let used: string[];
let labelled: unknown[];
let annotated: Record<string, string>;
let accounts: Record<string, TokenServiceAccount>;
let secrets: Record<string, TokenSecret>;
let others: Record<string, TokenObject>;

beforeEach(() => {
  now = start;
  used = [];
  labelled = [];
  annotated = {};
  accounts = { 'ns/robot': { metadata: { uid: 'u1' } } };
  secrets = { 'ns/s': { metadata: { uid: 'u2' } } };
  others = { 'ns/p': { metadata: { uid: 'u3' } }, n: { metadata: { uid: 'u4' } } };
});

async function found<T>(objects: Record<string, T>, key: string, resource: string): Promise<T> {
  const object = objects[key];
  if (object === undefined) throw newNotFound({ group: '', resource }, key);
  return object;
}

const audit = { annotate: (key: string, value: string) => void Object.assign(annotated, { [key]: value }) };

const objects: TokenObjectGetter = {
  serviceAccount: (namespace, name) => found(accounts, `${namespace}/${name}`, 'serviceaccounts'),
  secret: (namespace, name) => found(secrets, `${namespace}/${name}`, 'secrets'),
  pod: (namespace, name) => found(others, `${namespace}/${name}`, 'pods'),
  node: (name) => found(others, name, 'nodes'),
};

const order: TokenOrder = {
  namespace: 'ns',
  serviceAccount: { name: 'robot', uid: 'u1' },
  audiences: ['api'],
  expirationSeconds: 600,
};

async function generate(changes: Partial<TokenOrder> = {}, signingKey = ec): Promise<string> {
  const sign = signWithKey(signingKey);
  const generator = createTokenGenerator({ issuer, sign, now: () => now, newTokenId: () => 'id' });
  return (await generator.generate({ ...order, ...changes })).token;
}

async function authenticate(token: string, audiences?: readonly string[], warnings?: TokenRecorder['warnings']) {
  const config = {
    issuers: [issuer, 'https://old.example'],
    keys: staticKeys([verificationKey(rsa), verificationKey(ec)]),
    lookup: true,
    objects,
    observe: (use: string) => void used.push(use),
    labelSecret: async (...call: unknown[]) => void labelled.push(call),
  };
  const environment = { audiences: ['api', 'api2'], logger, now: () => now };
  for (const authenticator of createServiceAccountAuthenticators(config, environment)) {
    const response = await authenticator.authenticateToken(token, audiences, { warnings, audit });
    if (response !== undefined) return response;
  }
  return undefined;
}

const robot = {
  name: 'system:serviceaccount:ns:robot',
  uid: 'u1',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
};
const credential = { 'authentication.kubernetes.io/credential-id': ['JTI=id'] };

/** A handmade token with the given algorithm and claims. */
function handmade(header: object, claims: object, key: KeyObject = ec): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part(header)}.${part(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

describe('token generator', () => {
  it('writes the header and claims in the order of upstream', async () => {
    const parts = (
      await generate({ pod: { name: 'p', uid: 'u3' }, node: { name: 'n', uid: 'u4' }, warnAfterSeconds: 7 })
    )
      .split('.')
      .slice(0, 2)
      .map((part) => Buffer.from(part, 'base64url').toString());
    const seconds = start / 1000;
    expect(parts).toEqual([
      JSON.stringify({ alg: 'ES256', kid: verificationKey(ec).keyId }),
      JSON.stringify({
        aud: ['api'],
        exp: seconds + 600,
        iat: seconds,
        iss: issuer,
        jti: 'id',
        'kubernetes.io': {
          namespace: 'ns',
          node: { name: 'n', uid: 'u4' },
          pod: { name: 'p', uid: 'u3' },
          serviceaccount: { name: 'robot', uid: 'u1' },
          warnafter: seconds + 7,
        },
        nbf: seconds,
        sub: 'system:serviceaccount:ns:robot',
      }),
    ]);
  });

  it.each([
    ['elliptic', ec],
    ['RSA', rsa],
  ])('creates valid tokens with %s keys', async (_name, key) => {
    expect(await authenticate(await generate({}, key))).toEqual({
      user: { ...robot, extra: credential },
      audiences: ['api'],
    });
  });
});

describe('tokens of the TokenRequest API', () => {
  it('name the objects that they are bound to', async () => {
    const bound = await generate({ pod: { name: 'p', uid: 'u3' }, node: { name: 'gone', uid: 'u9' } });
    expect((await authenticate(bound))?.user.extra).toEqual({
      'authentication.kubernetes.io/pod-name': ['p'],
      'authentication.kubernetes.io/pod-uid': ['u3'],
      ...credential,
      'authentication.kubernetes.io/node-name': ['gone'],
      'authentication.kubernetes.io/node-uid': ['u9'],
    });
    const toSecret = await generate({ secret: { name: 's', uid: 'u2' } });
    expect((await authenticate(toSecret))?.user.extra).toEqual(credential);
    const toNode = await generate({ node: { name: 'n', uid: 'u4' } });
    expect((await authenticate(toNode))?.user.extra).toMatchObject({ 'authentication.kubernetes.io/node-uid': ['u4'] });
  });

  it.each<[string, Partial<TokenOrder>, () => void, string]>([
    [
      'late',
      {},
      () => {
        now += 661_000;
      },
      'service account token has expired',
    ],
    [
      'early',
      {},
      () => {
        now -= 61_000;
      },
      'service account token is not valid yet',
    ],
    [
      'of another account of the name',
      {},
      () => {
        accounts = { 'ns/robot': { metadata: { uid: 'x' } } };
      },
      'service account UID (x) does not match claim (u1)',
    ],
    [
      'of an account that was deleted',
      {},
      () => {
        accounts = { 'ns/robot': { metadata: { uid: 'u1', deletionTimestamp: '2029-12-31T23:58:59Z' } } };
      },
      'service account ns/robot has been deleted',
    ],
    [
      'of a pod that is gone',
      { pod: { name: 'p', uid: 'u3' } },
      () => {
        others = {};
      },
      'service account token has been invalidated',
    ],
    [
      'of another pod',
      { pod: { name: 'p', uid: 'x' } },
      () => {},
      'pod UID (u3) does not match service account pod ref claim (x)',
    ],
    [
      'of another secret',
      { secret: { name: 's', uid: 'x' } },
      () => {},
      'secret UID (u2) does not match service account secret ref claim (x)',
    ],
    [
      'of a node that was deleted',
      { node: { name: 'n', uid: 'u4' } },
      () => {
        others = { n: { metadata: { uid: 'u4', deletionTimestamp: '2029-12-31T23:58:59Z' } } };
      },
      'service account token has been invalidated',
    ],
  ])('are refused when %s', async (_when, changes, happen, message) => {
    const token = await generate(changes);
    happen();
    await expect(authenticate(token)).rejects.toThrow(new TokenError(message));
  });

  it('are refused with the Status of an account that is gone', async () => {
    const token = await generate();
    accounts = {};
    await expect(authenticate(token)).rejects.toThrow('serviceaccounts "ns/robot" not found');
  });

  it('are valid for a minute past their expiry, and past the deletion of their account', async () => {
    const token = await generate();
    now += 659_000;
    accounts = { 'ns/robot': { metadata: { uid: 'u1', deletionTimestamp: new Date(now - 59_000).toISOString() } } };
    expect(await authenticate(token)).toBeDefined();
  });

  it('are valid for the requested audiences that they have', async () => {
    const token = await generate({ audiences: ['api2', 'vault'] });
    expect((await authenticate(token))?.audiences).toEqual(['api2']);
    expect((await authenticate(token, ['x', 'vault']))?.audiences).toEqual(['vault']);
    await expect(authenticate(token, ['x'])).rejects.toThrow(
      'token audiences ["api2" "vault"] is invalid for the target audiences ["x"]',
    );
  });

  it('are counted if their lifetime was extended', async () => {
    const token = await generate({ warnAfterSeconds: 60 });
    await authenticate(token);
    now += 61_000;
    await authenticate(token);
    expect(used).toEqual(['valid', 'stale']);
    expect(annotated).toEqual({
      'authentication.k8s.io/stale-token':
        'subject: system:serviceaccount:ns:robot, seconds after warning threshold: 1',
    });
  });

  it('are ignored if another issuer signed them, and rejected if only the signature is wrong', async () => {
    const [header = '', claims = ''] = (await generate()).split('.');
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const kid = verificationKey(ec).keyId;
    expect(await authenticate('nope')).toBeUndefined();
    expect(await authenticate(`${header}.e30.x`)).toBeUndefined();
    expect(await authenticate(handmade({ alg: 'ES256' }, { iss: 'https://else.example' }))).toBeUndefined();
    await expect(authenticate(await generate({}, stranger))).rejects.toThrow('invalid signature, no keys found');
    await expect(authenticate(`${header}.${claims}.AAAA`)).rejects.toThrow(
      new TokenError('go-jose/go-jose: error in cryptographic primitive'),
    );
    await expect(authenticate(handmade({ alg: 'none', kid }, { iss: issuer }))).rejects.toThrow(
      new TokenError('go-jose/go-jose: error in cryptographic primitive'),
    );
    expect(await authenticate(handmade({ alg: 'none', kid }, { iss: issuer, x: 'x'.repeat(16_384) }))).toBe(undefined);
    await expect(authenticate(handmade({ alg: 'HS256', kid }, { iss: issuer }))).rejects.toThrow(
      new TokenError('go-jose/go-jose: error in cryptographic primitive'),
    );
    await expect(authenticate(handmade({ alg: 'ES256', kid }, { iss: issuer, exp: 'soon' }))).rejects.toThrow(
      'a claim is of the wrong type',
    );
  });
});

describe('tokens in secrets', () => {
  const claims = {
    iss: 'kubernetes/serviceaccount',
    sub: 'system:serviceaccount:ns:robot',
    'kubernetes.io/serviceaccount/namespace': 'ns',
    'kubernetes.io/serviceaccount/secret.name': 's',
    'kubernetes.io/serviceaccount/service-account.name': 'robot',
    'kubernetes.io/serviceaccount/service-account.uid': 'u1',
  };
  const token = handmade({ alg: 'ES256' }, claims);
  const kept = (labels: Record<string, string> = {}): TokenSecret => ({
    metadata: { uid: 'u2', labels },
    data: { token: Buffer.from(token).toString('base64') },
  });
  const warned: string[] = [];
  const warnings = { warn: (text: string) => void warned.push(text) };

  it('are valid as long as the secret exists, and their use is recorded once a day', async () => {
    secrets = { 'ns/s': kept() };
    const expected = { user: { ...robot, extra: {} }, audiences: ['api', 'api2'] };
    expect(await authenticate(token)).toEqual(expected);
    expect(annotated).toEqual({
      'authentication.k8s.io/legacy-token': 'system:serviceaccount:ns:robot',
      'authentication.k8s.io/legacy-token-manual-secret': 's',
    });
    expect(labelled).toEqual([['ns', 's', ['kubernetes.io/legacy-token-last-used', '2030-01-01']]]);
    secrets = { 'ns/s': kept({ 'kubernetes.io/legacy-token-last-used': '2030-01-02' }) };
    accounts = { 'ns/robot': { metadata: { uid: 'u1' }, secrets: [{ name: 's' }] } };
    expect(await authenticate(token, undefined, warnings)).toEqual(expected);
    expect(annotated['authentication.k8s.io/legacy-token-autogenerated-secret']).toBe('s');
    expect(labelled.length).toBe(1);
    expect(used).toEqual(['legacy', 'legacy-manual', 'legacy', 'legacy-auto']);
    expect(warned).toEqual([
      'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
    ]);
  });

  it.each<[string, () => void, string]>([
    [
      'the secret is gone',
      () => {
        secrets = {};
      },
      'Token has been invalidated',
    ],
    [
      'the secret has another',
      () => {
        secrets = { 'ns/s': { metadata: {}, data: { token: 'eA==' } } };
      },
      "Token does not match server's copy",
    ],
    [
      'the account is another',
      () => {
        accounts = { 'ns/robot': { metadata: { uid: 'x' } } };
      },
      'ServiceAccount UID (x) does not match claim (u1)',
    ],
    [
      'the account is going',
      () => {
        accounts = { 'ns/robot': { metadata: { uid: 'u1', deletionTimestamp: '2030-01-01T00:00:00Z' } } };
      },
      'ServiceAccount ns/robot has been deleted',
    ],
    [
      'it was marked invalid',
      () => {
        secrets = { 'ns/s': kept({ 'kubernetes.io/legacy-token-invalid-since': '2029-01-01' }) };
      },
      "the token in secret ns/s for service account ns/robot has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the 'kubernetes.io/legacy-token-invalid-since' label from the secret to temporarily allow use of this token",
    ],
  ])('are refused when %s', async (_when, happen, message) => {
    secrets = { 'ns/s': kept() };
    happen();
    await expect(authenticate(token)).rejects.toThrow(new TokenError(message));
  });

  it.each([
    ['sub', 'sub claim is missing'],
    ['kubernetes.io/serviceaccount/namespace', 'namespace claim is missing'],
    ['kubernetes.io/serviceaccount/secret.name', 'secretName claim is missing'],
    ['kubernetes.io/serviceaccount/service-account.uid', 'serviceAccountUID claim is missing'],
  ])('need the claim %s', async (name, message) => {
    const lacking = handmade({ alg: 'ES256' }, { ...claims, [name]: undefined });
    await expect(authenticate(lacking)).rejects.toThrow(new TokenError(message));
  });

  it('must have consistent claims', async () => {
    const other = handmade({ alg: 'ES256' }, { ...claims, sub: 'system:serviceaccount:ns:other' });
    await expect(authenticate(other)).rejects.toThrow(new TokenError('sub claim is invalid'));
  });
});

describe('keys', () => {
  it('are read from public keys, private keys and certificates between other PEM blocks', () => {
    const { certificate } = makeTestCertificate({ commonName: 'a' });
    const publicKey = verificationKey(rsa).key.export({ type: 'spki', format: 'pem' }).toString();
    // Upstream ignores the type of a block.
    const misnamed = publicKey.replaceAll('PUBLIC KEY', 'RSA PUBLIC KEY');
    const other = pem(generateKeyPairSync('ed25519').privateKey);
    const sec1 = ec.export({ type: 'sec1', format: 'pem' });
    const keys = parseVerificationKeys([certificate, other, sec1, misnamed].join('\n'));
    expect(keys.map(({ algorithm }) => algorithm)).toEqual([keys[0]?.algorithm, 'ES256', 'RS256']);
    expect(keys[1]?.keyId).toBe(verificationKey(ec).keyId);
    expect(parseSigningKey(certificate + pem(ec)).equals(ec)).toBe(true);
  });

  it.each<[string, string | Buffer, boolean]>([
    ['a private RSA key in PKCS#1', rsa.export({ type: 'pkcs1', format: 'pem' }), true],
    ['a private RSA key in PKCS#8', rsa.export({ type: 'pkcs8', format: 'pem' }), true],
    ['a public RSA key in PKCS#1', verificationKey(rsa).key.export({ type: 'pkcs1', format: 'pem' }), false],
    ['a private elliptic curve key in SEC1', ec.export({ type: 'sec1', format: 'pem' }), true],
    ['a private elliptic curve key in PKCS#8', ec.export({ type: 'pkcs8', format: 'pem' }), false],
    ['a public elliptic curve key', verificationKey(ec).key.export({ type: 'spki', format: 'pem' }), true],
  ])('are read as upstream: %s', (_, text, isRead) => {
    if (isRead) expect(parseVerificationKeys(text.toString())).toHaveLength(1);
    else expect(() => parseVerificationKeys(text.toString())).toThrow('does not contain any valid RSA or ECDSA');
  });

  it('are refused if there are none, or none of a type that can sign', () => {
    const ofUnknownCurve = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    const texts = ['x', ofUnknownCurve.publicKey.export({ type: 'spki', format: 'pem' }).toString()];
    for (const text of texts) {
      expect(() => parseVerificationKeys(text)).toThrow('data does not contain any valid RSA or ECDSA public keys');
    }
    expect(() => parseSigningKey('x')).toThrow('data does not contain a valid RSA or ECDSA private key');
    expect(() => verificationKey(generateKeyPairSync('ed25519').publicKey)).toThrow('unknown public key type');
    expect(() => verificationKey(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey)).toThrow(
      'unknown private key curve, must be 256, 384, or 521',
    );
  });
});

describe('openIdMetadata', () => {
  const options = { issuer, jwksUri: '', externalAddress: 'host:6443', keys: [rsa, ec].map(verificationKey) };

  it('has the URL of the keys, and the keys', () => {
    const { configuration, keySet } = openIdMetadata(options);
    expect(configuration).toBe(
      `{"issuer":"${issuer}","jwks_uri":"https://host:6443${JWKS_PATH}","response_types_supported":["id_token"],"subject_types_supported":["public"],"id_token_signing_alg_values_supported":["ES256","RS256"]}`,
    );
    const { keys } = JSON.parse(keySet);
    expect(keys.map((key: object) => Object.keys(key))).toEqual([
      ['use', 'kty', 'kid', 'alg', 'n', 'e'],
      ['use', 'kty', 'kid', 'crv', 'alg', 'x', 'y'],
    ]);
    expect(openIdMetadata({ ...options, jwksUri: 'https://keys' }).configuration).toContain(
      '"jwks_uri":"https://keys"',
    );
  });

  it.each([
    ['', 'empty issuer URL'],
    ['me', 'issuer URL must use https scheme, got: me'],
    ['https://a?b', 'issuer URL may not include a query, got: https://a?b'],
    ['https://a#b', 'issuer URL may not include a fragment, got: https://a#b'],
  ])('rejects the issuer %j', (bad, message) => {
    expect(() => openIdMetadata({ ...options, issuer: bad })).toThrow(message);
  });
});
