import type {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  CinderVolumeSource,
  CSIVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  GitRepoVolumeSource,
  GlusterfsVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
  RBDVolumeSource,
  StorageOSVolumeSource,
} from '@apiserver/api/core/v1';
import {
  type FieldError,
  type FieldPath,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
} from '@apiserver/apimachinery/field';
import { lowerCase } from '@apiserver/apimachinery/text';
import {
  byteLength,
  inclusiveRangeMessage,
  isDNS1123Subdomain,
  nameIsDNSSubdomain,
} from '@apiserver/apimachinery/validation';
import { notSupported, validateEnum } from '../../../validation/enum-field.js';
import { validateDNS1123Label } from '../../validation/dns-fields.js';
import { validateLocalDescendingPath } from '../../validation/local-path.js';
import { validateRequired } from '../../validation/required-field.js';

export function validateGitRepo(source: GitRepoVolumeSource, path: FieldPath): FieldError[] {
  return [
    ...validateRequired(source.repository, path.child('repository')),
    ...validateLocalDescendingPath(source.directory ?? '', path.child('directory')),
  ];
}

export function validateGCEPersistentDisk(source: GCEPersistentDiskVolumeSource, path: FieldPath): FieldError[] {
  return [
    ...validateRequired(source.pdName, path.child('pdName')),
    ...validatePartition(source.partition, path.child('partition')),
  ];
}

export function validateAWSElasticBlockStore(source: AWSElasticBlockStoreVolumeSource, path: FieldPath): FieldError[] {
  return [
    ...validateRequired(source.volumeID, path.child('volumeID')),
    ...validatePartition(source.partition, path.child('partition')),
  ];
}

/** Zero is the whole disk; the message does not mention it. */
function validatePartition(partition = 0, path: FieldPath): FieldError[] {
  return partition < 0 || partition > 255 ? [fieldInvalid(path, partition, inclusiveRangeMessage(1, 255))] : [];
}

export function validateNFS(source: NFSVolumeSource, path: FieldPath): FieldError[] {
  const errors = [
    ...validateRequired(source.server, path.child('server')),
    ...validateRequired(source.path, path.child('path')),
  ];
  if (!source.path.startsWith('/')) {
    errors.push(fieldInvalid(path.child('path'), source.path, 'must be an absolute path'));
  }
  return errors;
}

export function validateISCSI(source: ISCSIVolumeSource, path: FieldPath): FieldError[] {
  const { iqn, initiatorName, chapAuthDiscovery, chapAuthSession, secretRef } = source;
  return [
    ...validateRequired(source.targetPortal, path.child('targetPortal')),
    ...(iqn ? validateQualifiedISCSIName(iqn, path.child('iqn')) : [fieldRequired(path.child('iqn'), '')]),
    ...validateLun(source.lun, path.child('lun')),
    ...((chapAuthDiscovery || chapAuthSession) && secretRef === undefined
      ? [fieldRequired(path.child('secretRef'), '')]
      : []),
    ...(initiatorName === undefined ? [] : validateQualifiedISCSIName(initiatorName, path.child('initiatorname'))),
  ];
}

function validateQualifiedISCSIName(name: string, path: FieldPath): FieldError[] {
  const pattern = iscsiNamePattern(name.slice(0, 3));
  if (pattern === undefined) return [fieldInvalid(path, name, 'must be valid format starting with iqn, eui, or naa')];
  return pattern.test(name) ? [] : [fieldInvalid(path, name, 'must be valid format')];
}

function iscsiNamePattern(type: string): RegExp | undefined {
  switch (type) {
    case 'iqn':
      return /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\t\n\f\r ]+)$/;
    case 'eui':
      return /^eui.[A-Za-z0-9]{16}$/;
    case 'naa':
      return /^naa.[A-Za-z0-9]{32}$/;
    default:
      return undefined;
  }
}

function validateLun(lun: number, path: FieldPath): FieldError[] {
  return lun < 0 || lun > 255 ? [fieldInvalid(path, lun, inclusiveRangeMessage(0, 255))] : [];
}

export function validateGlusterfs(source: GlusterfsVolumeSource, path: FieldPath): FieldError[] {
  return [
    ...validateRequired(source.endpoints, path.child('endpoints')),
    ...validateRequired(source.path, path.child('path')),
  ];
}

export function validateFlocker({ datasetName, datasetUUID }: FlockerVolumeSource, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (!datasetName && !datasetUUID) errors.push(fieldRequired(path, 'one of datasetName and datasetUUID is required'));
  if (datasetName && datasetUUID) {
    errors.push(fieldInvalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  }
  if (datasetName?.includes('/')) {
    errors.push(fieldInvalid(path.child('datasetName'), datasetName, "must not contain '/'"));
  }
  return errors;
}

export function validateRBD(source: RBDVolumeSource, path: FieldPath): FieldError[] {
  return [
    ...validateRequired(source.monitors, path.child('monitors')),
    ...validateRequired(source.image, path.child('image')),
  ];
}

export function validateCinder({ volumeID, secretRef }: CinderVolumeSource, path: FieldPath): FieldError[] {
  return [
    ...validateRequired(volumeID, path.child('volumeID')),
    ...(secretRef === undefined ? [] : validateRequired(secretRef.name, path.child('secretRef', 'name'))),
  ];
}

const HOST_PORT_PAIRS = 'must be a host:port pair or multiple pairs separated by commas';

export function validateQuobyte({ registry, tenant, volume }: QuobyteVolumeSource, path: FieldPath): FieldError[] {
  return [...validateRegistry(registry, tenant, path), ...validateRequired(volume, path.child('volume'))];
}

function validateRegistry(registry: string, tenant: string | undefined, path: FieldPath): FieldError[] {
  if (!registry) return [fieldRequired(path.child('registry'), HOST_PORT_PAIRS)];
  if (tenant !== undefined && byteLength(tenant) >= 65) {
    return [fieldRequired(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters')];
  }
  const wrong = registry.split(',').filter((pair) => !/^(\[[^[\]]*\]|[^[\]:]*):[^[\]:]*$/.test(pair));
  return wrong.map(() => fieldInvalid(path.child('registry'), registry, HOST_PORT_PAIRS));
}

export function validateFC({ targetWWNs = [], wwids = [], lun }: FCVolumeSource, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const wwnsPath = path.child('targetWWNs');
  if (targetWWNs.length === 0 && wwids.length === 0) {
    errors.push(fieldRequired(wwnsPath, 'must specify either targetWWNs or wwids, but not both'));
  }
  if (targetWWNs.length === 0) return errors;
  if (wwids.length > 0) {
    errors.push(fieldInvalid(wwnsPath, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'));
  }
  if (lun !== undefined) return [...errors, ...validateLun(lun, path.child('lun'))];
  return [...errors, fieldRequired(path.child('lun'), 'lun is required if targetWWNs is specified')];
}

export function validateFlexVolume({ driver, options = {} }: FlexVolumeSource, path: FieldPath): FieldError[] {
  const errors = validateRequired(driver, path.child('driver'));
  for (const key of Object.keys(options)) {
    const [namespace = ''] = key.split('/', 1);
    if (!/\.(kubernetes|k8s)\.io$/.test(`.${lowerCase(namespace)}`)) continue;
    const message = 'kubernetes.io and k8s.io namespaces are reserved';
    errors.push(fieldInvalid(path.child('options').key(key), key, message));
  }
  return errors;
}

const CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'];
const DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_DISK_URI =
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_DISK_URI = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

export function validateAzureDisk(source: AzureDiskVolumeSource, path: FieldPath): FieldError[] {
  const { diskName, diskURI, cachingMode, kind } = source;
  const errors = [
    ...validateRequired(diskName, path.child('diskName')),
    ...validateRequired(diskURI, path.child('diskURI')),
    ...(cachingMode === undefined ? [] : validateEnum(cachingMode, CACHING_MODES, path.child('cachingMode'))),
  ];
  if (kind === undefined) return errors;
  errors.push(...validateEnum(kind, DISK_KINDS, path.child('kind')));
  const [start, supported] = kind === 'Managed' ? ['/subscriptions/', MANAGED_DISK_URI] : ['https://', BLOB_DISK_URI];
  if (!diskURI.startsWith(start)) errors.push(notSupported(path.child('diskURI'), diskURI, [supported]));
  return errors;
}

export function validateStorageOS(source: StorageOSVolumeSource, path: FieldPath): FieldError[] {
  const { volumeName, volumeNamespace, secretRef } = source;
  return [
    ...(volumeName
      ? validateDNS1123Label(volumeName, path.child('volumeName'))
      : [fieldRequired(path.child('volumeName'), '')]),
    ...(volumeNamespace ? validateDNS1123Label(volumeNamespace, path.child('volumeNamespace')) : []),
    ...(secretRef === undefined ? [] : validateRequired(secretRef.name, path.child('secretRef', 'name'))),
  ];
}

export function validateCSI({ driver, nodePublishSecretRef }: CSIVolumeSource, path: FieldPath): FieldError[] {
  const errors = validateCSIDriverName(driver, path.child('driver'));
  if (nodePublishSecretRef === undefined) return errors;
  const name = nodePublishSecretRef.name ?? '';
  if (name === '') return [...errors, fieldRequired(path.child('nodePublishSecretRef', 'name'), '')];
  return [...errors, ...nameIsDNSSubdomain(name).map((fault) => fieldInvalid(path.child('name'), name, fault))];
}

/** Upstream: ValidateCSIDriverName of pkg/apis/core/validation/validation.go */
export function validateCSIDriverName(name: string, path: FieldPath): FieldError[] {
  if (!name) return [fieldRequired(path, '')];
  return [
    ...(byteLength(name) > 63 ? [fieldTooLong(path, 63)] : []),
    ...isDNS1123Subdomain(lowerCase(name)).map((fault) => fieldInvalid(path, name, fault)),
  ];
}
