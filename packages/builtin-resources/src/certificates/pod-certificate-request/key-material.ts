import { constants, verify } from 'node:crypto';
import type { PodCertificateRequestSpec } from '@apiserver/api/certificates/v1beta1';
import {
  type FieldError,
  FieldPath,
  fieldInvalid,
  fieldTooLong,
  OMITTED_VALUE,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { certificateRequestKey, isCertificateRequestSigned } from '@apiserver/apimachinery/x509';
import { type KeyFault, readSubjectKey, type SubjectKey } from './subject-key.js';

const SPEC = FieldPath.of('spec');
const STUB = SPEC.child('stubPKCS10Request');
const PUBLIC_KEY = SPEC.child('pkixPublicKey');
const PROOF = SPEC.child('proofOfPossession');
/** Upstream: MaxPKIXPublicKeySize, MaxProofOfPossessionSize and MaxStubPKCS10RequestSize */
const MAX_BYTES = 10 * 1024;

const ONE_OF = 'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set';
const MALFORMED_KEY = 'must be a valid PKIX-serialized public key';
const MALFORMED_STUB = 'must be a valid PKCS#10 CSR';
/** Upstream names one curve less for a plain key than for a stub request. */
const PLAIN_CURVES = 'elliptic public keys must use curve P256 or P384';
const STUB_CURVES = 'elliptic public keys must use curve P256, P384, or P521';

/** Checks the key that a certificate is requested for, and the proof that the node has its private half. */
export function validateKeyMaterial(spec: PodCertificateRequestSpec): FieldError[] {
  const [stub, publicKey, proof] = [spec.stubPKCS10Request, spec.pkixPublicKey, spec.proofOfPossession].map(bytesOf);
  if (stub && !publicKey && !proof) return validateStub(stub);
  if (!stub && publicKey && proof) return validateProvenKey(publicKey, proof, spec.podUID);
  return [fieldInvalid(SPEC, OMITTED_VALUE, ONE_OF)];
}

/** The key that the issued certificate must have; an error if a stored request has no valid one. */
export function requestedKey(spec: PodCertificateRequestSpec): SubjectKey | FieldError {
  const stub = bytesOf(spec.stubPKCS10Request);
  const path = stub ? STUB : PUBLIC_KEY;
  const der = stub ? certificateRequestKey(stub) : bytesOf(spec.pkixPublicKey);
  const found: SubjectKey | KeyFault = der ? readSubjectKey(der) : { fault: 'malformed' };
  if ('key' in found) return found;
  return fieldInvalid(path, shownBytes(stub ?? der), stub ? MALFORMED_STUB : MALFORMED_KEY);
}

/** Undefined for absent and empty bytes. */
function bytesOf(base64: string | null | undefined): Buffer | undefined {
  return base64 ? Buffer.from(base64, 'base64') : undefined;
}

/** Upstream: validateStubPKCS10Request */
function validateStub(stub: Buffer): FieldError[] {
  if (stub.length > MAX_BYTES) return [fieldTooLong(STUB, MAX_BYTES)];
  const der = certificateRequestKey(stub);
  if (der === undefined) return [fieldInvalid(STUB, shownBytes(stub), MALFORMED_STUB)];
  const key = readSubjectKey(der);
  if (!('key' in key)) {
    return [keyError(key, { path: STUB, bytes: stub, malformed: MALFORMED_STUB, curves: STUB_CURVES })];
  }
  return isCertificateRequestSigned(stub) ? [] : [fieldInvalid(STUB, OMITTED_VALUE, 'invalid signature')];
}

function validateProvenKey(der: Buffer, proof: Buffer, podUID: string): FieldError[] {
  if (der.length > MAX_BYTES) return [fieldTooLong(PUBLIC_KEY, MAX_BYTES)];
  if (proof.length > MAX_BYTES) return [fieldTooLong(PROOF, MAX_BYTES)];
  const key = readSubjectKey(der);
  if (!('key' in key)) {
    return [keyError(key, { path: PUBLIC_KEY, bytes: der, malformed: MALFORMED_KEY, curves: PLAIN_CURVES })];
  }
  if (isProven(key, podUID, proof)) return [];
  return [fieldInvalid(PROOF, OMITTED_VALUE, 'could not verify proof-of-possession signature')];
}

interface RefusedKey {
  readonly path: FieldPath;
  readonly bytes: Buffer;
  readonly malformed: string;
  readonly curves: string;
}

function keyError({ fault, shown }: KeyFault, { path, bytes, malformed, curves }: RefusedKey): FieldError {
  const details = {
    malformed,
    curve: curves,
    modulus: 'RSA keys must have modulus size 3072 or 4096',
    type: 'unknown public key type; supported types are Ed25519, ECDSA, and RSA',
  };
  return fieldInvalid(path, shown ?? shownBytes(bytes), details[fault]);
}

function shownBytes(bytes: Uint8Array | undefined) {
  return printedAsJson(bytes === undefined ? null : Buffer.from(bytes).toString('base64'));
}

/** True if the proof is the signature of the pod's UID. */
function isProven({ key, type }: SubjectKey, podUID: string, proof: Buffer): boolean {
  const data = Buffer.from(podUID);
  if (type === 'ed25519') return verify(null, data, key, proof);
  if (type === 'ec') return verify('sha256', data, key, proof);
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
  return verify('sha256', data, { key, ...padding }, proof);
}
