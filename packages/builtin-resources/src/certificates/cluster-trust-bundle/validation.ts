import type { ClusterTrustBundle } from '@apiserver/api/certificates/v1beta1';
import { type FieldError, FieldPath, fieldInvalid, fieldTooLong } from '@apiserver/apimachinery/field';
import { validateImmutableField } from '@apiserver/apimachinery/validation';
import { readPemBlocks } from '@apiserver/apimachinery/x509';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateSignerName } from '../../validation/signer-name.js';
import { trustBundleNameFaults } from '../../validation/trust-bundle-name.js';
import { parseCertificate } from '../parse-certificate.js';

const METADATA = FieldPath.of('metadata');
const SIGNER_NAME = FieldPath.of('spec', 'signerName');
const TRUST_BUNDLE = FieldPath.of('spec', 'trustBundle');
/** Upstream: MaxTrustBundleSize of pkg/apis/certificates/types.go */
const MAX_BYTES = 1024 * 1024;

/** Upstream: ValidateClusterTrustBundle of pkg/apis/certificates/validation/validation.go */
export function validateClusterTrustBundle(bundle: ClusterTrustBundle): readonly FieldError[] {
  return [...validateNames(bundle), ...validateTrustBundle(bundle.spec.trustBundle)];
}

/** Certificates that do not change are not parsed again. Upstream: ValidateClusterTrustBundleUpdate */
export function validateClusterTrustBundleUpdate(
  bundle: ClusterTrustBundle,
  old: ClusterTrustBundle,
): readonly FieldError[] {
  const { signerName = '', trustBundle } = bundle.spec;
  return [
    ...validateNames(bundle),
    ...(trustBundle === old.spec.trustBundle ? [] : validateTrustBundle(trustBundle)),
    ...validateBuiltInObjectMetaUpdate(bundle.metadata, old.metadata, METADATA),
    ...validateImmutableField(signerName, old.spec.signerName ?? '', SIGNER_NAME),
  ];
}

function validateNames({ metadata, spec }: ClusterTrustBundle): readonly FieldError[] {
  const { signerName = '' } = spec;
  const validateName = (name: string, isPrefix: boolean) => trustBundleNameFaults(signerName, name, isPrefix);
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: false, validateName, path: METADATA }),
    ...(signerName === '' ? [] : validateSignerName(signerName, SIGNER_NAME)),
  ];
}

/** Upstream: validateTrustBundle */
function validateTrustBundle(text: string): readonly FieldError[] {
  if (Buffer.byteLength(text) > MAX_BYTES) return [fieldTooLong(TRUST_BUNDLE, MAX_BYTES)];
  const blocks = readPemBlocks(text);
  const faults = blocks.flatMap((block, i) => {
    const fault = blockFault(block);
    return fault === undefined ? [] : [`entry ${i} ${fault}`];
  });
  if (faults.length === 0 && blocks.length === 0) faults.push('at least one trust anchor must be provided');
  if (faults.length === 0) faults.push(...duplicateFaults(blocks.map(({ bytes }) => bytes)));
  return faults.map((fault) => fieldInvalid(TRUST_BUNDLE, '<value omitted>', fault));
}

function blockFault({ type, headers, bytes }: ReturnType<typeof readPemBlocks>[number]): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`;
  if (Object.keys(headers).length > 0) return 'has PEM block headers';
  const certificate = parseCertificate(bytes);
  if (certificate === undefined) return 'does not parse as X.509';
  return certificate.ca ? undefined : 'does not have the CA bit set';
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
