import { Buffer } from 'node:buffer';
import { createPublicKey, type KeyObject, type X509Certificate } from 'node:crypto';
import { messageOf } from '@apiserver/apimachinery/errors';
import { isMembers } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import { certificateChainSteps, checkThumbprint } from './certificate-chain.js';
import { JsonWebKeyError } from './json-web-key-error.js';

/** A public key, as issuers publish it. */
export interface VerifyingKey {
  /** "" if it has no name. */
  readonly keyId: string;
  /** Undefined for keys that verify none of the supported algorithms. */
  readonly key: KeyObject | undefined;
}

/** Bytes of a coordinate by curve. */
const COORDINATES: Readonly<Record<string, number>> = { 'P-256': 32, 'P-384': 48, 'P-521': 66 };

/**
 * Reads a JSON Web Key, in steps of one certificate each. Throws an Error for one that is wrong or of an unknown type, as
 * upstream's library does.
 * Upstream: JSONWebKey.UnmarshalJSON of gopkg.in/go-jose/go-jose.v2/jwk.go
 */
export function* parseJsonWebKeySteps(value: unknown): Generator<void, VerifyingKey> {
  if (!isMembers(value)) throw new JsonWebKeyError('a key is no object');
  const keyId = textOf(value, 'kid');
  for (const name of ['use', 'alg', 'x5u']) textOf(value, name);
  const certificate = yield* certificateSteps(value);
  const key = keyOf(value, certificate);
  checkCertificate(certificate, key);
  for (const field of ['x5t', 'x5t#S256'] as const) checkThumbprint(certificate, { field, text: textOf(value, field) });
  return { keyId, key };
}

function* certificateSteps({ x5c }: Readonly<Record<string, unknown>>): Generator<void, X509Certificate | undefined> {
  try {
    return yield* certificateChainSteps(x5c);
  } catch (error) {
    const reason = `go-jose/go-jose: failed to unmarshal x5c field: ${messageOf(error)}`;
    throw new JsonWebKeyError(reason, { cause: error });
  }
}

function keyOf(
  jwk: Readonly<Record<string, unknown>>,
  certificate: X509Certificate | undefined,
): KeyObject | undefined {
  const kty = textOf(jwk, 'kty');
  switch (kty) {
    case 'EC':
      return ellipticKey(jwk);
    case 'RSA':
      return rsaKey(jwk);
    case 'OKP':
      return edwardsKey(jwk);
    case 'oct':
      if (certificate !== undefined) {
        throw new JsonWebKeyError("go-jose/go-jose: invalid JWK, found 'oct' (symmetric) key with cert chain");
      }
      bytesOf(jwk, 'k');
      return undefined;
    default:
      throw new JsonWebKeyError(`go-jose/go-jose: unknown json web key type '${kty}'`);
  }
}

function ellipticKey(jwk: Readonly<Record<string, unknown>>): KeyObject {
  const crv = textOf(jwk, 'crv');
  const size = COORDINATES[crv];
  if (size === undefined) throw new JsonWebKeyError(`go-jose/go-jose: unsupported elliptic curve '${crv}'`);
  const [x, y] = [bytesOf(jwk, 'x'), bytesOf(jwk, 'y')];
  if (x.length === 0 || y.length === 0)
    throw new JsonWebKeyError('go-jose/go-jose: invalid EC key, missing x/y values');
  if (x.length !== size) throw new JsonWebKeyError('go-jose/go-jose: invalid EC public key, wrong length for x');
  if (y.length !== size) throw new JsonWebKeyError('go-jose/go-jose: invalid EC public key, wrong length for y');
  const key = { kty: 'EC', crv, x: x.toString('base64url'), y: y.toString('base64url') };
  return imported(key, 'go-jose/go-jose: invalid EC key, X/Y are not on declared curve');
}

function rsaKey(jwk: Readonly<Record<string, unknown>>): KeyObject {
  const [n, e] = [bytesOf(jwk, 'n'), bytesOf(jwk, 'e')];
  const fault = 'go-jose/go-jose: invalid RSA key, missing n/e values';
  if (n.length === 0 || e.length === 0) throw new JsonWebKeyError(fault);
  return imported({ kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') }, fault);
}

function edwardsKey(jwk: Readonly<Record<string, unknown>>): undefined {
  const crv = textOf(jwk, 'crv');
  if (crv !== 'Ed25519' || bytesOf(jwk, 'x').length === 0) {
    throw new JsonWebKeyError(`go-jose/go-jose: unknown curve ${crv}'`);
  }
  return undefined;
}

function imported(key: JsonWebKey, fault: string): KeyObject {
  try {
    return createPublicKey({ key, format: 'jwk' });
  } catch (error) {
    throw new JsonWebKeyError(fault, { cause: error });
  }
}

type JsonWebKey = Readonly<Record<string, string>>;

/** The first certificate of a key must hold the same key. */
function checkCertificate(certificate: X509Certificate | undefined, key: KeyObject | undefined): void {
  if (certificate === undefined || key === undefined || certificate.publicKey.equals(key)) return;
  throw new JsonWebKeyError('go-jose/go-jose: invalid JWK, public keys in key and x5c fields to not match');
}

function textOf(jwk: Readonly<Record<string, unknown>>, name: string): string {
  const value = jwk[name] ?? '';
  if (typeof value !== 'string') throw new JsonWebKeyError(`the field ${quote(name)} of a key is no text`);
  return value;
}

function bytesOf(jwk: Readonly<Record<string, unknown>>, name: string): Buffer {
  const text = textOf(jwk, name);
  if (!/^[A-Za-z0-9_-]*$/.test(text)) throw new JsonWebKeyError(`the field ${quote(name)} of a key is no base64url`);
  return Buffer.from(text, 'base64url');
}
