import { Buffer } from 'node:buffer';
import { constants, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { staticKeys } from './key-source.js';
import { verificationKey } from './public-keys.js';
import { verifySignature } from './verify-signature.js';

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const keys = staticKeys([verificationKey(rsa), verificationKey(ec)]);
const encode = (text: string) => Buffer.from(text).toString('base64url');
const claims = '{"iss":"i"}';
const publicJwk = createPublicKey(ec).export({ format: 'jwk' });
const privateJwk = ec.export({ format: 'jwk' });
const FAILURE = 'go-jose/go-jose: error in cryptographic primitive';

interface Signing {
  readonly key?: KeyObject;
  readonly digest?: string;
  readonly padding?: number;
  /** Signs the plain claims, not their base64 form. */
  readonly raw?: boolean;
}

function token(header: object, { key = ec, digest = 'sha256', padding, raw = false }: Signing = {}): string {
  const head = encode(JSON.stringify(header));
  const signed = Buffer.from(`${head}.${raw ? claims : encode(claims)}`);
  const how = { key, dsaEncoding: 'ieee-p1363' as const, ...(padding === undefined ? {} : { padding }) };
  return `${head}.${encode(claims)}.${sign(digest, signed, how).toString('base64url')}`;
}

const outcome = async (text: string) => {
  try {
    return await verifySignature(text, keys);
  } catch (error) {
    return (error as Error).message;
  }
};

const alg = 'ES256';
const kid = verificationKey(ec).keyId;

describe('a token', () => {
  it.each<[object, Signing, boolean | string]>([
    [{ alg, kid }, {}, true],
    [{ alg }, {}, true],
    [{ alg, kid, typ: 'JWT', more: { x: 1 } }, {}, true],
    [{ alg, kid, jwk: null, x5c: null }, {}, true],
    [{ alg, kid, jwk: publicJwk }, {}, true],
    [{ alg, kid, jwk: { ...publicJwk, x5c: [] }, x5c: [] }, {}, true],
    [{ alg, kid, jwk: privateJwk }, {}, false],
    [{ alg, kid, jwk: {} }, {}, false],
    [{ alg, kid, x5c: ['AAAA'] }, {}, false],
    [{ alg, kid, crit: ['x'], x: 1 }, {}, FAILURE],
    [{ alg, kid, crit: ['exp'] }, {}, FAILURE],
    [{ alg, kid, crit: ['b64', 'x'] }, {}, FAILURE],
    [{ alg, kid, crit: [null] }, {}, FAILURE],
    [{ alg, kid, crit: 'b64' }, {}, 'go-jose/go-jose: invalid crit header'],
    [{ alg, kid, crit: {} }, {}, 'go-jose/go-jose: invalid crit header'],
    [{ alg, kid, crit: null }, {}, true],
    [{ alg, kid, crit: [] }, {}, true],
    [{ alg, kid, crit: ['b64'] }, {}, true],
    [{ alg, kid, crit: ['b64'], b64: true }, {}, true],
    [{ alg, kid, crit: ['b64'], b64: false }, {}, FAILURE],
    [{ alg, kid, b64: false }, {}, FAILURE],
    [{ alg, kid, b64: 'no' }, {}, true],
    [{ alg, kid, crit: ['b64'], b64: false }, { raw: true }, true],
    [{ alg, kid, b64: false }, { raw: true }, true],
    [{ alg, kid }, { raw: true }, FAILURE],
    [{ alg: 'none', kid }, {}, FAILURE],
    [{ alg: 'HS256', kid }, {}, FAILURE],
    [{ alg: 'es256', kid }, {}, FAILURE],
    [{ alg: 'ES384', kid }, { digest: 'sha384' }, FAILURE],
    [{ alg: 'RS256', kid }, {}, FAILURE],
    [{ kid }, {}, FAILURE],
    [{ alg: 'RS256' }, { key: rsa }, true],
    [{ alg: 'RS512' }, { key: rsa, digest: 'sha512' }, true],
    [{ alg: 'RS512' }, { key: rsa }, FAILURE],
    [{ alg: 'PS256' }, { key: rsa, padding: constants.RSA_PKCS1_PSS_PADDING }, true],
    [{ alg: 'PS256' }, { key: rsa }, FAILURE],
    [{ alg, kid: 'other' }, {}, 'invalid signature, no keys found'],
    [{ alg, kid: 7 }, {}, false],
    [{ alg: 7, kid }, {}, false],
    [{ alg, kid, nonce: 7 }, {}, false],
  ])('of %j signed with %j', async (header, signing, expected) => {
    expect(await outcome(token(header, signing))).toBe(expected);
  });

  it.each(['a.b', 'a.b.c.d', `${encode('[')}.${encode(claims)}.AAAA`, `${encode('{}')}.${encode(claims)}.A*`])(
    'is not %s',
    async (text) => {
      expect(await outcome(text)).toBe(false);
    },
  );
});
