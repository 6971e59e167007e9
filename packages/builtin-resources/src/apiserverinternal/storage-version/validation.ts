import type {
  ServerStorageVersion,
  StorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from '@apiserver/api/apiserverinternal/v1alpha1';
import { type FieldError, FieldPath, fieldDuplicate, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import {
  isDNS1035Label,
  isDNS1123Subdomain,
  nameIsDNSSubdomain,
  type ValidateName,
} from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta } from '@apiserver/resource-kit';
import { validateQualifiedName } from '../../core/validation/dns-fields.js';
import { apiVersionFaults } from './api-version.js';

const STATUS = FieldPath.of('status');
const SERVERS = STATUS.child('storageVersions');

/** Upstream: ValidateStorageVersion of pkg/apis/apiserverinternal/validation/validation.go */
export function validateStorageVersion({ metadata, status }: StorageVersion): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: false, validateName }),
    ...validateStorageVersionStatus(status),
  ];
}

/** Upstream: ValidateStorageVersionName */
const validateName: ValidateName = (name) => {
  const dot = name.lastIndexOf('.');
  if (dot < 0) return ['name must be in the form of <group>.<resource>'];
  return [
    ...isDNS1123Subdomain(name.slice(0, dot)).map((fault) => `the group segment ${fault}`),
    ...isDNS1035Label(name.slice(dot + 1)).map((fault) => `the resource segment ${fault}`),
  ];
};

/** Upstream: ValidateStorageVersionStatusUpdate */
export function validateStorageVersionStatus(status: StorageVersionStatus): readonly FieldError[] {
  const { storageVersions = [], conditions = [] } = status;
  const seen = new Set<string>();
  return [
    ...storageVersions.flatMap((server, i) => {
      const { apiServerID: id = '' } = server;
      const repeated = seen.has(id) ? [fieldDuplicate(SERVERS.index(i).child('apiServerID'), id)] : [];
      seen.add(id);
      return [...repeated, ...validateServer(server, SERVERS.index(i))];
    }),
    ...validateCommonVersion(status),
    ...validateStorageVersionConditions(conditions),
  ];
}

function validateServer(server: ServerStorageVersion, path: FieldPath): FieldError[] {
  const { apiServerID = '', encodingVersion = '', decodableVersions, servedVersions = [] } = server;
  const decodable = decodableVersions ?? [];
  const decodablePath = path.child('decodableVersions');
  const known: KnownVersions = { versions: new Set(decodable), list: `[${decodable.join(' ')}]` };
  return [
    ...nameIsDNSSubdomain(apiServerID).map((fault) => fieldInvalid(path.child('apiServerID'), apiServerID, fault)),
    ...validateApiVersion(encodingVersion, path.child('encodingVersion')),
    ...decodable.flatMap((version, i) => validateApiVersion(version, decodablePath.index(i))),
    ...(known.versions.has(encodingVersion)
      ? []
      : [
          fieldInvalid(
            decodablePath,
            decodableVersions ?? null,
            `decodableVersions must include encodingVersion ${encodingVersion}`,
          ),
        ]),
    ...servedVersions.flatMap((version, i) => validateServed(version, known, path.child('servedVersions').index(i))),
  ];
}

function validateApiVersion(version: string, path: FieldPath): FieldError[] {
  const faults = apiVersionFaults(version);
  return faults.length === 0 ? [] : [fieldInvalid(path, version, faults.join(','))];
}

/** Versions that a server decodes. A client may send tens of thousands, so they are searched and written out once. */
interface KnownVersions {
  readonly versions: ReadonlySet<string>;
  readonly list: string;
}

function validateServed(version: string, { versions, list }: KnownVersions, path: FieldPath): FieldError[] {
  const errors = validateApiVersion(version, path);
  if (versions.has(version)) return errors;
  const detail = `individual served version : ${version} must be included in decodableVersions : ${list}`;
  return [...errors, fieldInvalid(path, version, detail)];
}

/** Servers that agree have a common version, others none. Upstream: validateCommonVersion */
function validateCommonVersion({ storageVersions = [], commonEncodingVersion }: StorageVersionStatus): FieldError[] {
  const path = STATUS.child('commonEncodingVersion');
  const [first] = storageVersions;
  const version = first?.encodingVersion ?? '';
  const agree = first !== undefined && storageVersions.every(({ encodingVersion = '' }) => encodingVersion === version);
  if (!agree) {
    if (commonEncodingVersion === undefined) return [];
    const detail =
      'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet';
    return [fieldInvalid(path, commonEncodingVersion, detail)];
  }
  if (commonEncodingVersion === undefined) {
    return [fieldInvalid(path, null, `the common encoding version is ${version}`)];
  }
  if (commonEncodingVersion === version) return [];
  return [fieldInvalid(path, commonEncodingVersion, `the actual common encoding version is ${version}`)];
}

/** The paths lack the name of the list, as upstream's. Upstream: validateStorageVersionCondition */
function validateStorageVersionConditions(conditions: readonly StorageVersionCondition[]): FieldError[] {
  const last = new Map<string, number>();
  return conditions.flatMap(({ type, status, reason, message = '' }, i) => {
    const path = STATUS.index(i);
    const before = last.get(type);
    last.set(type, i);
    const detail = `the type of the condition is not unique, it also appears in conditions[${before}]`;
    return [
      ...(before === undefined ? [] : [fieldInvalid(path.child('type'), type, detail)]),
      ...validateQualifiedName(type, path.child('type')),
      ...validateQualifiedName(status, path.child('status')),
      ...(reason === '' ? [fieldRequired(path.child('reason'), 'reason cannot be empty')] : []),
      ...(message === '' ? [fieldRequired(path.child('message'), 'message cannot be empty')] : []),
    ];
  });
}
