import { Buffer } from 'node:buffer';
import { createHash, X509Certificate } from 'node:crypto';
import { base64Fault } from '@apiserver/apimachinery/text';
import { JsonWebKeyError } from './json-web-key-error.js';

/**
 * Reads the value of `x5c`, certificates in DER and base64, in steps of one each. Returns the first. Throws an Error for
 * a wrong one.
 * Upstream: parseCertificateChain of gopkg.in/go-jose/go-jose.v2/shared.go
 */
export function* certificateChainSteps(value: unknown): Generator<void, X509Certificate | undefined> {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw new JsonWebKeyError('the certificates are no list');
  let first: X509Certificate | undefined;
  for (const text of value) {
    const certificate = certificateOf(text ?? '');
    first ??= certificate;
    yield;
  }
  return first;
}

function certificateOf(text: unknown): X509Certificate {
  if (typeof text !== 'string') throw new JsonWebKeyError('a certificate is no text');
  const fault = base64Fault(text);
  if (fault !== undefined) throw new JsonWebKeyError(`illegal base64 data at input byte ${fault}`);
  try {
    return new X509Certificate(Buffer.from(text, 'base64'));
  } catch (error) {
    throw new JsonWebKeyError('x509: malformed certificate', { cause: error });
  }
}

/** A thumbprint of a certificate in a JSON Web Key. */
interface Thumbprint {
  readonly field: 'x5t' | 'x5t#S256';
  /** In base64url; bytes, or their hexadecimal digits. "" for none. */
  readonly text: string;
}

const HASHES = { x5t: ['sha1', 20], 'x5t#S256': ['sha256', 32] } as const;

/**
 * Throws an Error if a thumbprint is malformed, or is not that of the certificate.
 * Upstream: JSONWebKey.UnmarshalJSON of gopkg.in/go-jose/go-jose.v2/jwk.go
 */
export function checkThumbprint(certificate: X509Certificate | undefined, { field, text }: Thumbprint): void {
  const invalid = (fault: string) => new JsonWebKeyError(`go-jose/go-jose: invalid JWK, ${fault}`);
  if (!/^[A-Za-z0-9_-]*$/.test(text)) throw invalid(`${field} header has invalid encoding`);
  const [hash, size] = HASHES[field];
  let print = Buffer.from(text, 'base64url');
  if (print.length === 2 * size) {
    const digits = print.toString('latin1');
    if (!/^[0-9a-fA-F]*$/.test(digits)) throw invalid(`unable to hex decode ${field}`);
    print = Buffer.from(digits, 'hex');
  }
  if (print.length === 0) return;
  if (print.length !== size) throw invalid(`${field} header is of incorrect size`);
  if (certificate === undefined || createHash(hash).update(certificate.raw).digest().equals(print)) return;
  throw invalid(`x5c thumbprint does not match ${field} value`);
}
