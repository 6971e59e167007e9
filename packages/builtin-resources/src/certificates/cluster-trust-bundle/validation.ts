import type { ClusterTrustBundle } from '@apiserver/api/certificates/v1beta1';
import { type FieldError, FieldPath, fieldInvalid, fieldTooLong } from '@apiserver/apimachinery/field';
import { validateImmutableField } from '@apiserver/apimachinery/validation';
import { readPemBlocks } from '@apiserver/apimachinery/x509';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateSignerName } from '../../validation/signer-name.js';
import { trustBundleNameRule } from '../../validation/trust-bundle-name.js';
import { isAuthority } from '../certificate-extensions.js';
import { parseCertificate } from '../parse-certificate.js';

const SIGNER_NAME = FieldPath.of('spec', 'signerName');
const TRUST_BUNDLE = FieldPath.of('spec', 'trustBundle');
/** Upstream: MaxTrustBundleSize of pkg/apis/certificates/types.go */
const MAX_BYTES = 1024 * 1024;

/**
 * The errors besides those of `bundleErrors`.
 * Upstream: ValidateClusterTrustBundle of pkg/apis/certificates/validation/validation.go
 */
export function validateClusterTrustBundle({ metadata, spec }: ClusterTrustBundle): readonly FieldError[] {
  const { signerName = '' } = spec;
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: false, validateName: trustBundleNameRule(signerName) }),
    ...(signerName === '' ? [] : validateSignerName(signerName, SIGNER_NAME)),
  ];
}

/**
 * The errors behind those of `validateClusterTrustBundle`, in steps: a bundle may have thousands of certificates.
 * Certificates that do not change are not parsed again. Upstream: ValidateClusterTrustBundleUpdate
 */
export function* bundleErrors(
  { metadata, spec: { signerName = '', trustBundle } }: ClusterTrustBundle,
  old: ClusterTrustBundle | undefined,
): Generator<void, readonly FieldError[]> {
  const errors = trustBundle === old?.spec.trustBundle ? [] : yield* validateTrustBundle(trustBundle);
  if (old === undefined) return errors;
  return [
    ...errors,
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...validateImmutableField(signerName, old.spec.signerName ?? '', SIGNER_NAME),
  ];
}

/** Upstream: validateTrustBundle */
function* validateTrustBundle(text: string): Generator<void, readonly FieldError[]> {
  if (Buffer.byteLength(text) > MAX_BYTES) return [fieldTooLong(TRUST_BUNDLE, MAX_BYTES)];
  const blocks = readPemBlocks(text);
  const faults: string[] = [];
  for (const [i, block] of blocks.entries()) {
    const fault = blockFault(block);
    if (fault !== undefined) faults.push(`entry ${i} ${fault}`);
    yield;
  }
  if (faults.length === 0 && blocks.length === 0) faults.push('at least one trust anchor must be provided');
  if (faults.length === 0) faults.push(...duplicateFaults(blocks.map(({ bytes }) => bytes)));
  return faults.map((fault) => fieldInvalid(TRUST_BUNDLE, '<value omitted>', fault));
}

function blockFault({ type, headers, bytes }: ReturnType<typeof readPemBlocks>[number]): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`;
  if (Object.keys(headers).length > 0) return 'has PEM block headers';
  if (parseCertificate(bytes) === undefined) return 'does not parse as X.509';
  try {
    return isAuthority(bytes) ? undefined : 'does not have the CA bit set';
  } catch {
    return 'does not parse as X.509';
  }
}

function duplicateFaults(anchors: readonly Uint8Array[]): readonly string[] {
  const indices = new Map<string, number[]>();
  for (const [i, bytes] of anchors.entries()) {
    const key = Buffer.from(bytes).toString('base64');
    indices.set(key, [...(indices.get(key) ?? []), i]);
  }
  return [...indices.values()]
    .filter((same) => same.length > 1)
    .map((same) => `duplicate trust anchor (indices [${same.join(' ')}])`);
}
