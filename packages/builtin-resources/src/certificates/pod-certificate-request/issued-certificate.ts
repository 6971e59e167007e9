import type { X509Certificate } from 'node:crypto';
import type { PodCertificateRequest, PodCertificateRequestStatus } from '@apiserver/api/certificates/v1beta1';
import {
  type FieldError,
  FieldPath,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { byteLength } from '@apiserver/apimachinery/validation';
import { readPemBlock } from '@apiserver/apimachinery/x509';
import { parseCertificate } from '../parse-certificate.js';
import { type CertificateNames, readCertificateNames } from './certificate-names.js';
import { isEmailAddress } from './email-address.js';
import { requestedKey } from './key-material.js';

const CHAIN = FieldPath.of('status', 'certificateChain');
const NOT_BEFORE = FieldPath.of('status', 'notBefore');
const NOT_AFTER = FieldPath.of('status', 'notAfter');
const BEGIN_REFRESH = FieldPath.of('status', 'beginRefreshAt');
/** Upstream: MaxCertificateChainSize of pkg/apis/certificates/types.go */
const MAX_CHAIN_BYTES = 100 * 1024;
const MINUTE = 60_000;
const NANOSECONDS = 1_000_000;
/** Go's longest duration, about 292 years, which its difference of two times never exceeds. */
const MAX_DURATION = 2n ** 63n - 1n;

/** Checks the certificate that a signer issued; the first fault ends the checks of each group. */
export function validateIssued(request: PodCertificateRequest, old: PodCertificateRequest, now: number): FieldError[] {
  const chain = request.status.certificateChain ?? '';
  const leaf = readLeaf(chain);
  if (!('certificate' in leaf)) return [leaf];
  const names = validateNames(leaf.names);
  const key = validateKey(leaf.certificate, old, chain);
  if (key.length > 0) return [...names, ...key];
  const times = timesOf(request.status);
  if (Array.isArray(times)) return [...names, ...times];
  if (names.length > 0) return names;
  const seconds = request.spec.maxExpirationSeconds ?? 0;
  const fault = timeFault(leaf.certificate, times, { now, seconds }) ?? restFault(chain, leaf.rest);
  return fault === undefined ? [] : [fault];
}

interface Leaf {
  readonly certificate: X509Certificate;
  readonly names: CertificateNames;
  /** The text after it. */
  readonly rest: string;
}

function readLeaf(chain: string): Leaf | FieldError {
  if (byteLength(chain) > MAX_CHAIN_BYTES) return fieldTooLong(CHAIN, MAX_CHAIN_BYTES);
  const block = readPemBlock(chain);
  if (block === undefined) {
    return fieldInvalid(CHAIN, chain, 'issued certificate chain must contain at least one certificate');
  }
  if (block.type !== 'CERTIFICATE') {
    return fieldInvalid(CHAIN, chain, 'issued certificate chain must consist entirely of CERTIFICATE PEM blocks');
  }
  const certificate = parseCertificate(block.bytes);
  const names = certificate && readCertificateNames(block.bytes);
  if (certificate === undefined || names === undefined) {
    return fieldInvalid(CHAIN, chain, 'leaf certificate does not parse as valid X.509');
  }
  return { certificate, names, rest: block.rest };
}

function validateNames({ dns, emails }: CertificateNames): FieldError[] {
  return [
    ...dns.flatMap((name) => [
      ...(name === '' ? [fieldInvalid(CHAIN, name, 'leaf certificate should not contain empty DNSName')] : []),
      ...(name.includes('..') ? [fieldInvalid(CHAIN, name, "leaf certificate's DNSName should not contain '..'")] : []),
      ...(name.startsWith('.') || name.endsWith('.')
        ? [fieldInvalid(CHAIN, name, "leaf certificate's DNSName should not start or end with '.'")]
        : []),
    ]),
    ...emails
      .filter((email) => !isEmailAddress(email))
      .map((email) => fieldInvalid(CHAIN, email, 'leaf certificate should not contain invalid EmailAddress')),
  ];
}

function validateKey(certificate: X509Certificate, { spec }: PodCertificateRequest, chain: string): FieldError[] {
  const requested = requestedKey(spec);
  if (!('key' in requested)) return [requested];
  if (keyOf(certificate)?.equals(requested.key)) return [];
  return [fieldInvalid(CHAIN, chain, 'leaf certificate was not issued to the requested public key')];
}

/** Undefined for a type of key that is not known here. */
function keyOf(certificate: X509Certificate) {
  try {
    return certificate.publicKey;
  } catch {
    return undefined;
  }
}

interface Times {
  readonly notBefore: number;
  readonly notAfter: number;
  readonly beginRefresh: number;
}

function timesOf({ notBefore, notAfter, beginRefreshAt }: PodCertificateRequestStatus): Times | FieldError[] {
  const consistent = 'must be present and consistent with the issued certificate';
  const inRange = 'must be present and in the range [notbefore+10min, notafter-10min]';
  if (notBefore && notAfter && beginRefreshAt) {
    const [before, after, refresh] = [notBefore, notAfter, beginRefreshAt].map((time) => Date.parse(time));
    return { notBefore: before ?? 0, notAfter: after ?? 0, beginRefresh: refresh ?? 0 };
  }
  return [
    ...(notBefore ? [] : [fieldRequired(NOT_BEFORE, consistent)]),
    ...(notAfter ? [] : [fieldRequired(NOT_AFTER, consistent)]),
    ...(beginRefreshAt ? [] : [fieldRequired(BEGIN_REFRESH, inRange)]),
  ];
}

/** The first fault of the times. All are in milliseconds. */
function timeFault(
  { validFromDate, validToDate }: X509Certificate,
  { notBefore, notAfter, beginRefresh }: Times,
  { now, seconds }: { readonly now: number; readonly seconds: number },
): FieldError | undefined {
  const refuse = (path: FieldPath, time: number, detail: string) =>
    fieldInvalid(path, printedAsJson(new Date(time).toISOString().replace('.000Z', 'Z')), detail);
  if (notBefore !== validFromDate.getTime()) {
    return refuse(NOT_BEFORE, notBefore, 'must be set to the NotBefore time encoded in the leaf certificate');
  }
  if (Math.abs(notBefore - now) >= 5 * MINUTE) {
    return refuse(NOT_BEFORE, notBefore, "must be set to within 5 minutes of kube-apiserver's current time");
  }
  if (notAfter !== validToDate.getTime()) {
    return refuse(NOT_AFTER, notAfter, 'must be set to the NotAfter time encoded in the leaf certificate');
  }
  const lifetime = notAfter - notBefore;
  const refuseLifetime = (detail: string) => {
    const duration = BigInt(lifetime) * BigInt(NANOSECONDS);
    return fieldInvalid(CHAIN, printedAsJson(duration > MAX_DURATION ? MAX_DURATION : duration), detail);
  };
  if (lifetime < 60 * MINUTE) return refuseLifetime('leaf certificate lifetime must be >= 1 hour');
  if (lifetime > seconds * 1000) {
    return refuseLifetime(`leaf certificate lifetime must be <= spec.maxExpirationSeconds (${seconds})`);
  }
  if (beginRefresh < notBefore + 10 * MINUTE) {
    return refuse(BEGIN_REFRESH, beginRefresh, 'must be at least 10 minutes after status.notBefore');
  }
  if (beginRefresh > notAfter - 10 * MINUTE) {
    return refuse(BEGIN_REFRESH, beginRefresh, 'must be at least 10 minutes before status.notAfter');
  }
  return undefined;
}

/** The fault of the certificates after the first one. As upstream, nothing checks whether they form a chain. */
function restFault(chain: string, rest: string): FieldError | undefined {
  for (let block = readPemBlock(rest); block !== undefined; block = readPemBlock(block.rest)) {
    if (block.type !== 'CERTIFICATE') {
      // Upstream's spelling.
      return fieldInvalid(CHAIN, chain, 'issued certificate chain must consist entirely of CERTFICATE PEM blocks');
    }
    if (parseCertificate(block.bytes) === undefined) {
      return fieldInvalid(CHAIN, chain, 'intermediate certificate does not parse as valid X.509');
    }
  }
  return undefined;
}
