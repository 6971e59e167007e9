import type { Volume } from '@apiserver/api/core/v1';
import type { FieldError, FieldPath } from '@apiserver/apimachinery/field';
import { validateRequiredEnum } from '../../../validation/enum-field.js';
import { validateFileMode } from '../../validation/file-mode.js';
import { validateRequired } from '../../validation/required-field.js';
import { IMAGE_PULL_POLICIES } from '../container-enums.js';
import type { PodSpecRules } from '../pod-spec-rules.js';
import { validateDownwardAPIVolume } from './downward-api.js';
import { validateEphemeralVolume } from './ephemeral-volume.js';
import { validateHostPath } from './host-path.js';
import { validateKeyToPath } from './key-to-path.js';
import { validateProjectedVolume } from './projected-volume.js';
import * as remote from './remote-volume-sources.js';

/** A source of a volume: its validation, and its path in messages. */
export interface VolumeSourceRule {
  readonly field: Exclude<keyof Volume, 'name' | 'emptyDir'>;
  /** The field's name in faults, if it differs. */
  readonly namedAs?: string;
  /** The field's name in the fault about several sources, if it differs. */
  readonly repeatedAs?: string;
  validate(volume: Volume, rules: PodSpecRules, path: FieldPath): readonly FieldError[];
}

type Field = VolumeSourceRule['field'];

/** A rule that only needs the source. */
function rule<F extends Field>(
  field: F,
  validate: (source: NonNullable<Volume[F]>, path: FieldPath, rules: PodSpecRules) => readonly FieldError[],
  names: Pick<VolumeSourceRule, 'namedAs' | 'repeatedAs'> = {},
): VolumeSourceRule {
  return {
    field,
    ...names,
    validate(volume, rules, path) {
      const source = volume[field];
      return source === undefined ? [] : validate(source as NonNullable<Volume[F]>, path, rules);
    },
  };
}

/**
 * The sources of volumes except emptyDir, in the order of validation; the first one found counts.
 * Upstream: validateVolumeSource of pkg/apis/core/validation/validation.go
 */
export const VOLUME_SOURCE_RULES: readonly VolumeSourceRule[] = [
  rule('hostPath', validateHostPath),
  rule('gitRepo', remote.validateGitRepo),
  rule('gcePersistentDisk', remote.validateGCEPersistentDisk, { namedAs: 'persistentDisk' }),
  rule('awsElasticBlockStore', remote.validateAWSElasticBlockStore),
  rule('secret', (source, path) => [
    ...validateRequired(source.secretName, path.child('secretName')),
    ...validateFileMode(source.defaultMode, path.child('defaultMode')),
    ...(source.items ?? []).flatMap((item, i) => validateKeyToPath(item, path.child('items').index(i))),
  ]),
  rule('nfs', remote.validateNFS),
  rule('iscsi', remote.validateISCSI),
  rule('glusterfs', remote.validateGlusterfs),
  rule('flocker', remote.validateFlocker),
  rule('persistentVolumeClaim', (source, path) => validateRequired(source.claimName, path.child('claimName'))),
  rule('rbd', remote.validateRBD),
  rule('cinder', remote.validateCinder),
  rule('cephfs', (source, path) => validateRequired(source.monitors, path.child('monitors')), { repeatedAs: 'cephFS' }),
  rule('quobyte', remote.validateQuobyte),
  rule('downwardAPI', validateDownwardAPIVolume, { repeatedAs: 'downwarAPI' }),
  rule('fc', remote.validateFC),
  rule('flexVolume', remote.validateFlexVolume),
  rule('configMap', (source, path) => [
    ...validateRequired(source.name, path.child('name')),
    ...validateFileMode(source.defaultMode, path.child('defaultMode')),
    ...(source.items ?? []).flatMap((item, i) => validateKeyToPath(item, path.child('items').index(i))),
  ]),
  rule('azureFile', (source, path) => [
    ...validateRequired(source.secretName, path.child('secretName')),
    ...validateRequired(source.shareName, path.child('shareName')),
  ]),
  rule('vsphereVolume', (source, path) => validateRequired(source.volumePath, path.child('volumePath'))),
  rule('photonPersistentDisk', (source, path) => validateRequired(source.pdID, path.child('pdID'))),
  rule('portworxVolume', (source, path) => validateRequired(source.volumeID, path.child('volumeID'))),
  rule('azureDisk', remote.validateAzureDisk),
  rule('storageos', remote.validateStorageOS),
  rule('projected', validateProjectedVolume),
  rule('scaleIO', (source, path) => [
    ...validateRequired(source.gateway, path.child('gateway')),
    ...validateRequired(source.system, path.child('system')),
    ...validateRequired(source.volumeName, path.child('volumeName')),
  ]),
  rule('csi', remote.validateCSI),
  rule('ephemeral', validateEphemeralVolume),
  rule('image', (source, path, { allowEmptyImageReference }) => [
    ...(allowEmptyImageReference ? [] : validateRequired(source.reference, path.child('reference'))),
    ...validateRequiredEnum(source.pullPolicy, IMAGE_PULL_POLICIES, path.child('pullPolicy')),
  ]),
];
