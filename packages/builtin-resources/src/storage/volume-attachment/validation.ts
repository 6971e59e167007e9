import {
  type VolumeAttachment,
  type VolumeAttachmentSource,
  VolumeAttachmentSpec,
  type VolumeError,
} from '@apiserver/api/storage/v1';
import {
  type FieldError,
  FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
} from '@apiserver/apimachinery/field';
import { byteLength, inclusiveRangeMessage, nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta } from '@apiserver/resource-kit';
import { validateCSIDriverName } from '../../core/pod-spec/volumes/remote-volume-sources.js';
import { validateNamed } from '../../core/validation/named-reference.js';
import { validateImmutableValue } from '../../validation/immutable-value.js';
import { validateInlineVolumeSpec } from './inline-volume-spec.js';

const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const MAX_METADATA_BYTES = 256 * 1024;
const MAX_MESSAGE_BYTES = 1024;
const MAX_INT32 = 2 ** 31 - 1;

/** Reports each fault once since 1.35. Upstream: ValidateVolumeAttachmentUpdate, kubernetes/kubernetes#132549 */
export function validateVolumeAttachmentUpdate(
  attachment: VolumeAttachment,
  old: VolumeAttachment,
): readonly FieldError[] {
  return [
    ...validateVolumeAttachment(attachment),
    ...validateImmutableValue(VolumeAttachmentSpec, attachment.spec, old.spec, SPEC),
  ];
}

/**
 * Before 1.36, the names of driver and volume were judged in new objects only.
 * Upstream: ValidateVolumeAttachment of pkg/apis/storage/validation/validation.go, kubernetes/kubernetes#135438
 */
export function validateVolumeAttachment({ metadata, spec, status }: VolumeAttachment): readonly FieldError[] {
  const { persistentVolumeName: name } = spec.source;
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: false }),
    ...validateSpec(spec),
    ...validateAttachmentMetadata(status.attachmentMetadata ?? {}, STATUS.child('attachmentMetadata')),
    ...validateVolumeError(status.attachError, STATUS.child('attachError')),
    ...validateVolumeError(status.detachError, STATUS.child('detachError')),
    ...(name === undefined
      ? []
      : validateNamed(name, SPEC.child('source', 'persistentVolumeName'), nameIsDNSSubdomain)),
  ];
}

function validateSpec({ attacher, source, nodeName }: VolumeAttachmentSpec): FieldError[] {
  return [
    ...validateCSIDriverName(attacher, SPEC.child('attacher')),
    ...validateSource(source, SPEC.child('source')),
    ...validateNamed(nodeName, SPEC.child('nodeName'), nameIsDNSSubdomain),
  ];
}

function validateSource(
  { persistentVolumeName: name, inlineVolumeSpec: inline }: VolumeAttachmentSource,
  path: FieldPath,
): FieldError[] {
  const onlyOne = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (inline !== undefined) {
    if (name !== undefined) return [fieldForbidden(path, onlyOne)];
    return validateInlineVolumeSpec(inline, path.child('inlineVolumeSpec'));
  }
  if (name === undefined) return [fieldRequired(path, onlyOne)];
  if (name !== '') return [];
  return [fieldRequired(path.child('persistentVolumeName'), 'must specify non empty persistentVolumeName')];
}

function validateAttachmentMetadata(metadata: Readonly<Record<string, string>>, path: FieldPath): FieldError[] {
  const size = Object.entries(metadata).reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  return size > MAX_METADATA_BYTES ? [fieldTooLong(path, MAX_METADATA_BYTES)] : [];
}

/** The limit in the message differs from the checked one, as upstream. */
function validateVolumeError(error: VolumeError | undefined, path: FieldPath): FieldError[] {
  if (error === undefined) return [];
  const { message = '', errorCode = 0 } = error;
  return [
    ...(byteLength(message) > MAX_MESSAGE_BYTES ? [fieldTooLong(path.child('message'), MAX_METADATA_BYTES)] : []),
    ...(errorCode < 0 ? [fieldInvalid(path.child('errorCode'), errorCode, inclusiveRangeMessage(0, MAX_INT32))] : []),
  ];
}
