import { type PodCertificateRequest, PodCertificateRequestSpec } from '@apiserver/api/certificates/v1beta1';
import {
  type FieldError,
  FieldPath,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { byteLength, nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { certificateSeconds } from '../../validation/certificate-seconds.js';
import { validateImmutableValue } from '../../validation/immutable-value.js';
import { validateSignerName } from '../../validation/signer-name.js';
import { validateUserAnnotations } from '../../validation/user-annotations.js';
import { validateKeyMaterial } from './key-material.js';

const SPEC = FieldPath.of('spec');
const MAX_UID_BYTES = 128;

/** Upstream: ValidatePodCertificateRequestCreate of pkg/apis/certificates/validation/validation.go */
export function validatePodCertificateRequest({ metadata, spec }: PodCertificateRequest): readonly FieldError[] {
  const errors = [
    ...validateBuiltInObjectMeta(metadata, { namespaced: true }),
    ...validateSignerName(spec.signerName, SPEC.child('signerName')),
    ...validateUserAnnotations(spec.unverifiedUserAnnotations, SPEC.child('unverifiedUserAnnotations')),
    ...validateIdentity(spec.podName, spec.podUID, 'pod'),
    ...validateIdentity(spec.serviceAccountName, spec.serviceAccountUID, 'serviceAccount'),
    ...validateIdentity(spec.nodeName, spec.nodeUID, 'node'),
  ];
  const { maxExpirationSeconds: seconds } = spec;
  const path = SPEC.child('maxExpirationSeconds');
  if (seconds === undefined) return [...errors, fieldRequired(path, 'must be set')];
  return [...errors, ...validateSeconds(seconds, spec.signerName, path), ...validateKeyMaterial(spec)];
}

/** The whole spec is immutable. Upstream: ValidatePodCertificateRequestUpdate */
export function validatePodCertificateRequestUpdate(
  { metadata, spec }: PodCertificateRequest,
  old: PodCertificateRequest,
): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...validateImmutableValue(PodCertificateRequestSpec, spec, old.spec, SPEC),
  ];
}

function validateIdentity(name: string, uid: string, of: 'pod' | 'serviceAccount' | 'node'): FieldError[] {
  const path = SPEC.child(`${of}UID`);
  // Names of nodes have a type of their own.
  const shown = of === 'node' ? printedAsJson(name) : name;
  return [
    ...nameIsDNSSubdomain(name).map((fault) => fieldInvalid(SPEC.child(`${of}Name`), shown, fault)),
    ...(uid === '' ? [fieldInvalid(path, printedAsJson(uid), 'must not be empty')] : []),
    ...(byteLength(uid) > MAX_UID_BYTES ? [fieldTooLong(path, MAX_UID_BYTES)] : []),
  ];
}

function validateSeconds(seconds: number, signerName: string, path: FieldPath): FieldError[] {
  const [least, most] = certificateSeconds(signerName);
  if (seconds >= least && seconds <= most) return [];
  return [fieldInvalid(path, seconds, `must be in the range [${least}, ${most}]`)];
}
