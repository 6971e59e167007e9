import type {
  CSIPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  ISCSIPersistentVolumeSource,
  PersistentVolume,
  PersistentVolumeSource,
  SecretReference,
} from '@apiserver/api/core/v1';
import {
  type FieldError,
  type FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { byteLength, validateNamespaceName } from '@apiserver/apimachinery/validation';
import { validateHostPath } from '../pod-spec/volumes/host-path.js';
import * as remote from '../pod-spec/volumes/remote-volume-sources.js';
import { validateDNS1123Label, validateDNS1123Subdomain } from '../validation/dns-fields.js';
import { validatePathNoBacksteps } from '../validation/local-path.js';
import { validateNamed } from '../validation/named-reference.js';
import { validateRequired } from '../validation/required-field.js';

type Source = keyof PersistentVolumeSource;
/** A volume, or the nameless source of one in another object. */
type NamedSource = Pick<PersistentVolume, 'metadata' | 'spec'>;
type Of<S extends Source> = NonNullable<PersistentVolumeSource[S]>;

/** The validation of one source, and the paths of its faults if they differ from its field. */
interface SourceRule {
  readonly field: Source;
  readonly namedAs: string;
  readonly repeatedAs: string;
  validate(volume: NamedSource, path: FieldPath): readonly FieldError[];
}

function rule<S extends Source>(
  field: S,
  validate: (source: Of<S>, path: FieldPath, volume: NamedSource) => readonly FieldError[],
  names: { readonly namedAs?: string; readonly repeatedAs?: string } = {},
): SourceRule {
  return {
    field,
    namedAs: names.namedAs ?? field,
    repeatedAs: names.repeatedAs ?? field,
    validate(volume, path) {
      const source = volume.spec[field];
      return source === undefined ? [] : validate(source as Of<S>, path, volume);
    },
  };
}

/** In the order of validation; the first one found counts. */
const RULES: readonly SourceRule[] = [
  rule('hostPath', validateHostPath),
  rule('gcePersistentDisk', remote.validateGCEPersistentDisk, { namedAs: 'persistentDisk' }),
  rule('awsElasticBlockStore', remote.validateAWSElasticBlockStore),
  rule('glusterfs', validateGlusterfs),
  rule('flocker', remote.validateFlocker),
  rule('nfs', remote.validateNFS),
  rule('rbd', (source, path) => [
    ...validateRequired(source.monitors, path.child('monitors')),
    ...validateRequired(source.image, path.child('image')),
  ]),
  rule('quobyte', remote.validateQuobyte),
  rule('cephfs', (source, path) => validateRequired(source.monitors, path.child('monitors')), { repeatedAs: 'cephFS' }),
  rule('iscsi', (source, path, { metadata }) => validateISCSI(source, path, metadata.name ?? '')),
  rule('cinder', (source, path) => [
    ...validateRequired(source.volumeID, path.child('volumeID')),
    ...validateNamedSecret(source.secretRef, path.child('secretRef')),
  ]),
  rule('fc', remote.validateFC),
  rule('flexVolume', (source, path) => {
    const { driver, options } = source;
    return remote.validateFlexVolume(options === undefined ? { driver } : { driver, options }, path);
  }),
  rule('azureFile', (source, path) => [
    ...validateRequired(source.secretName, path.child('secretName')),
    ...validateRequired(source.shareName, path.child('shareName')),
    ...(source.secretNamespace === '' ? [fieldRequired(path.child('secretNamespace'), '')] : []),
  ]),
  rule('vsphereVolume', (source, path) => validateRequired(source.volumePath, path.child('volumePath'))),
  rule('photonPersistentDisk', (source, path) => validateRequired(source.pdID, path.child('pdID'))),
  rule('portworxVolume', (source, path) => validateRequired(source.volumeID, path.child('volumeID'))),
  rule('azureDisk', remote.validateAzureDisk),
  rule('scaleIO', (source, path) => [
    ...validateRequired(source.gateway, path.child('gateway')),
    ...validateRequired(source.system, path.child('system')),
    ...validateRequired(source.volumeName, path.child('volumeName')),
  ]),
  rule('local', (source, path) => {
    if (!source.path) return validateRequired(source.path, path.child('path'));
    return validatePathNoBacksteps(source.path, path.child('path'));
  }),
  rule('storageos', (source, path) => [
    ...(source.volumeName
      ? validateDNS1123Label(source.volumeName, path.child('volumeName'))
      : [fieldRequired(path.child('volumeName'), '')]),
    ...(source.volumeNamespace ? validateDNS1123Label(source.volumeNamespace, path.child('volumeNamespace')) : []),
    ...validateNamedSecret(source.secretRef, path.child('secretRef')),
  ]),
  rule('csi', validateCSI),
];

/** Validates the source of a volume: exactly one, and a valid one. Upstream: ValidatePersistentVolumeSpec */
export function validatePersistentVolumeSource(volume: NamedSource, path: FieldPath): FieldError[] {
  const present = RULES.filter(({ field }) => volume.spec[field] !== undefined);
  if (present.length === 0) return [fieldRequired(path, 'must specify a volume type')];
  return present.flatMap((found, i) => {
    // A flexVolume is always validated.
    if (i > 0 && found.field !== 'flexVolume') {
      return [fieldForbidden(path.child(found.repeatedAs), 'may not specify more than 1 volume type')];
    }
    const errors = found.validate(volume, path.child(found.namedAs));
    if (found.field !== 'local' || volume.spec.nodeAffinity !== undefined) return errors;
    return [...errors, fieldRequired(path.child('nodeAffinity'), 'Local volume requires node affinity')];
  });
}

/** Every field of a spec that is a source. */
export const PERSISTENT_VOLUME_SOURCES: readonly Source[] = /* @__PURE__ */ RULES.map(({ field }) => field);

function validateGlusterfs(source: GlusterfsPersistentVolumeSource, path: FieldPath): FieldError[] {
  const { endpoints, endpointsNamespace: namespace } = source;
  const errors = remote.validateGlusterfs({ endpoints, path: source.path }, path);
  if (namespace === undefined) return errors;
  const at = path.child('endpointsNamespace');
  if (namespace !== '') return [...errors, ...validateNamed(namespace, at, validateNamespaceName)];
  const detail = 'if the endpointnamespace is set, it must be a valid namespace name';
  return [...errors, fieldInvalid(at, namespace, detail)];
}

/** As for a pod's volume, with different messages. */
function validateISCSI(source: ISCSIPersistentVolumeSource, path: FieldPath, name: string): FieldError[] {
  const { secretRef, initiatorName, targetPortal, ...rest } = source;
  const shared = { ...rest, targetPortal, ...(initiatorName === undefined ? {} : { initiatorName }) };
  const errors = remote
    .validateISCSI(secretRef === undefined ? shared : { ...shared, secretRef: { name: secretRef.name ?? '' } }, path)
    .map((error) =>
      error.detail.startsWith('must be valid format') ? { ...error, detail: 'must be valid format' } : error,
    );
  if (initiatorName !== undefined && byteLength(`${name}:${targetPortal}`) > 64) {
    const detail =
      'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
    errors.unshift(fieldInvalid(path.child('targetportal'), targetPortal, detail));
  }
  if (secretRef !== undefined && !secretRef.name) errors.push(fieldRequired(path.child('secretRef', 'name'), ''));
  return errors;
}

function validateNamedSecret(secret: SecretReference | undefined, path: FieldPath): FieldError[] {
  if (secret === undefined) return [];
  return [
    ...validateRequired(secret.name, path.child('name')),
    ...validateRequired(secret.namespace, path.child('namespace')),
  ];
}

function validateCSI(source: CSIPersistentVolumeSource, path: FieldPath): FieldError[] {
  const secrets = [
    'controllerPublishSecretRef',
    'controllerExpandSecretRef',
    'nodePublishSecretRef',
    'nodeExpandSecretRef',
  ] as const;
  return [
    ...remote.validateCSIDriverName(source.driver, path.child('driver')),
    ...validateRequired(source.volumeHandle, path.child('volumeHandle')),
    ...secrets.flatMap((field) => {
      const secret = source[field];
      return secret === undefined ? [] : validateSecretReference(secret, path.child(field));
    }),
  ];
}

/** Upstream: validatePVSecretReference */
function validateSecretReference({ name, namespace }: SecretReference, path: FieldPath): FieldError[] {
  return [
    ...(name ? validateDNS1123Subdomain(name, path.child('name')) : [fieldRequired(path.child('name'), '')]),
    ...(namespace
      ? validateDNS1123Label(namespace, path.child('namespace'))
      : [fieldRequired(path.child('namespace'), '')]),
  ];
}
