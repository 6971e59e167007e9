import type { Secret } from '@apiserver/api/core/v1';
import {
  type FieldError,
  FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { isConfigMapKey, validateImmutableField } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { jsonObjectFault } from './json-object-fault.js';

/** Limit of all values together, in bytes. Upstream: MaxSecretSize */
const MAX_TOTAL_BYTES = 1024 * 1024;
const SERVICE_ACCOUNT_NAME = 'kubernetes.io/service-account.name';

const METADATA = FieldPath.of('metadata');
const DATA = FieldPath.of('data');
const IMMUTABLE_FAULT = 'field is immutable when `immutable` is set';

/** Upstream: ValidateSecret of pkg/apis/core/validation/validation.go */
export function validateSecret(secret: Secret): readonly FieldError[] {
  const entries = Object.entries(secret.data ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const total = entries.reduce((sum, [, value]) => sum + bytesOf(value).length, 0);
  return [
    ...validateBuiltInObjectMeta(secret.metadata, { namespaced: true }),
    ...entries.flatMap(([key]) => isConfigMapKey(key).map((fault) => fieldInvalid(DATA.key(key), key, fault))),
    ...(total > MAX_TOTAL_BYTES ? [fieldTooLong(DATA, MAX_TOTAL_BYTES)] : []),
    ...validateType(secret),
  ];
}

/** Upstream: ValidateSecretUpdate */
export function validateSecretUpdate(secret: Secret, old: Secret): readonly FieldError[] {
  const { type = '' } = secret;
  return [
    ...validateBuiltInObjectMetaUpdate(secret.metadata, old.metadata),
    ...validateImmutableField(type, old.type ?? '', FieldPath.of('type'), printedAsJson(type)),
    ...(old.immutable ? validateUnchanged(secret, old) : []),
    ...validateSecret(secret),
  ];
}

function validateUnchanged(secret: Secret, old: Secret): FieldError[] {
  return [
    ...(secret.immutable ? [] : [fieldForbidden(FieldPath.of('immutable'), IMMUTABLE_FAULT)]),
    ...(equalJson(secret.data, old.data) ? [] : [fieldForbidden(DATA, IMMUTABLE_FAULT)]),
  ];
}

/** Validates the required keys of known types; other types are not validated. */
function validateType({ type, metadata, data = {} }: Secret): FieldError[] {
  switch (type) {
    case 'kubernetes.io/service-account-token':
      if (metadata.annotations?.[SERVICE_ACCOUNT_NAME]) return [];
      return [fieldRequired(METADATA.child('annotations').key(SERVICE_ACCOUNT_NAME), '')];
    case 'kubernetes.io/dockercfg':
      return validateJsonValue(data, '.dockercfg');
    case 'kubernetes.io/dockerconfigjson':
      return validateJsonValue(data, '.dockerconfigjson');
    case 'kubernetes.io/basic-auth':
      // One of the two is sufficient, and may be empty.
      return ['username', 'password'].some((key) => Object.hasOwn(data, key)) ? [] : required('username', 'password');
    case 'kubernetes.io/ssh-auth':
      return data['ssh-privatekey'] ? [] : required('ssh-privatekey');
    case 'kubernetes.io/tls':
      return required(...['tls.crt', 'tls.key'].filter((key) => !Object.hasOwn(data, key)));
    default:
      return [];
  }
}

function required(...keys: readonly string[]): FieldError[] {
  return keys.map((key) => fieldRequired(DATA.key(key), ''));
}

function validateJsonValue(data: Readonly<Record<string, string | null>>, key: string): FieldError[] {
  const value = data[key];
  if (value === undefined) return required(key);
  const fault = jsonObjectFault(bytesOf(value));
  return fault === undefined ? [] : [fieldInvalid(DATA.key(key), '<secret contents redacted>', fault)];
}

/** A client may send null for a value: no bytes. */
function bytesOf(value: string | null): Buffer {
  return Buffer.from(value ?? '', 'base64');
}
