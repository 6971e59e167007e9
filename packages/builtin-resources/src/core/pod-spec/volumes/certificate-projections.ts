import { ClusterTrustBundleProjection, type PodCertificateProjection } from '@apiserver/api/core/v1';
import {
  appendAll,
  type FieldError,
  type FieldPath,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { validateLabelSelector } from '@apiserver/apimachinery/validation';
import { goForm } from '../../../text/go-form.js';
import { certificateSeconds } from '../../../validation/certificate-seconds.js';
import { validateSignerName } from '../../../validation/signer-name.js';
import { signerOfTrustBundleName, trustBundleNameRule } from '../../../validation/trust-bundle-name.js';
import { validateUserAnnotations } from '../../../validation/user-annotations.js';
import { validateLocalNonReservedPath } from '../../validation/local-path.js';
import { validateRequired } from '../../validation/required-field.js';

/** The faults of a file in the volume, whose path another source may have. */
export type TakeFile = (file: string) => FieldError[];

const KEY_TYPES = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];
const FILES = ['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const;

/**
 * Validates a source with the certificates of ClusterTrustBundles.
 * Upstream: validateProjectionSources of pkg/apis/core/validation/validation.go
 */
export function validateTrustBundleProjection(
  bundle: ClusterTrustBundleProjection,
  path: FieldPath,
  takeFile: TakeFile,
): FieldError[] {
  const file = path.child('path');
  return [
    ...validateChoice(bundle, path),
    ...validateRequired(bundle.path, file),
    ...validateLocalNonReservedPath(bundle.path, file),
    ...takeFile(bundle.path),
  ];
}

/** Bundles are chosen by name, or by signer and labels. */
function validateChoice(bundle: ClusterTrustBundleProjection, path: FieldPath): FieldError[] {
  const { name, signerName, labelSelector } = bundle;
  if (name !== undefined && signerName !== undefined) {
    const shown = goForm(ClusterTrustBundleProjection, bundle);
    return [fieldInvalid(path, shown, 'only one of name and signerName may be used')];
  }
  const labels = path.child('labelSelector');
  if (name !== undefined) {
    const unused = 'labelSelector must be unset if name is specified';
    return [
      ...validateName(name, path.child('name')),
      ...(labelSelector === undefined ? [] : [fieldInvalid(labels, labelSelector, unused)]),
    ];
  }
  if (signerName === undefined) return [fieldRequired(path, 'either name or signerName must be specified')];
  const signer = path.child('signerName');
  return [
    ...(signerName === '' ? [fieldRequired(signer, 'must be a valid signer name')] : []),
    ...validateSignerName(signerName, signer),
    ...validateLabelSelector(labelSelector, { allowInvalidLabelValueInSelector: false }, labels),
  ];
}

function validateName(name: string, path: FieldPath): FieldError[] {
  const faults = trustBundleNameRule(signerOfTrustBundleName(name))(name);
  return [
    ...(name === '' ? [fieldRequired(path, 'must be a valid object name')] : []),
    ...faults.map((fault) => fieldInvalid(path, name, `not a valid clustertrustbundlename: ${fault}`)),
  ];
}

/**
 * Validates a source with a certificate that the kubelet requests for the pod.
 * Upstream: validateProjectionSources of pkg/apis/core/validation/validation.go
 */
export function validatePodCertificateProjection(
  certificate: PodCertificateProjection,
  path: FieldPath,
  takeFile: TakeFile,
): FieldError[] {
  const { signerName = '', keyType = '', userAnnotations, maxExpirationSeconds } = certificate;
  const errors = [
    ...validateSignerName(signerName, path.child('signerName')),
    ...validateUserAnnotations(userAnnotations, path.child('userAnnotations')),
    ...(KEY_TYPES.includes(keyType) ? [] : [fieldNotSupported(path.child('keyType'), keyType, KEY_TYPES)]),
    ...validateSeconds(maxExpirationSeconds, signerName, path.child('maxExpirationSeconds')),
  ];
  const files = FILES.filter((field) => certificate[field]);
  for (const field of files) {
    const file = certificate[field] ?? '';
    appendAll(errors, [...validateLocalNonReservedPath(file, path.child(field)), ...takeFile(file)]);
  }
  const choice = 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath';
  return files.length === 0 ? [...errors, fieldRequired(path, choice)] : errors;
}

function validateSeconds(seconds: number | undefined, signerName: string, path: FieldPath): FieldError[] {
  if (seconds === undefined) return [];
  const [least, most] = certificateSeconds(signerName);
  const fault = (bound: string) => [fieldInvalid(path, seconds, `if provided, maxExpirationSeconds must be ${bound}`)];
  return [...(seconds < least ? fault(`>= ${least}`) : []), ...(seconds > most ? fault(`<= ${most}`) : [])];
}
