import type { ConfigMap } from '@apiserver/api/core/v1';
import { type FieldError, FieldPath, fieldForbidden, fieldInvalid, fieldTooLong } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { isConfigMapKey } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';

/** Limit of all values together, in bytes. Upstream: MaxSecretSize, which ConfigMaps share. */
const MAX_TOTAL_BYTES = 1024 * 1024;

/** The path of the whole object. */
const WHOLE = FieldPath.of('');

/** Upstream: ValidateConfigMap of pkg/apis/core/validation/validation.go */
export function validateConfigMap(configMap: ConfigMap): readonly FieldError[] {
  const { data = {}, binaryData = {} } = configMap;
  const errors: FieldError[] = validateBuiltInObjectMeta(configMap.metadata, { namespaced: true });
  let totalBytes = 0;
  for (const key in data) {
    totalBytes += Buffer.byteLength(data[key] ?? '');
    pushKeyFaults(errors, 'data', key);
    if (Object.hasOwn(binaryData, key)) {
      errors.push(fieldInvalid(FieldPath.of('data').key(key), key, 'duplicate of key present in binaryData'));
    }
  }
  for (const key in binaryData) {
    // Binary values are base64, as in JSON.
    totalBytes += Buffer.byteLength(binaryData[key] ?? '', 'base64');
    pushKeyFaults(errors, 'binaryData', key);
  }
  if (totalBytes > MAX_TOTAL_BYTES) errors.push(fieldTooLong(WHOLE, MAX_TOTAL_BYTES));
  return errors;
}

/** Upstream: ValidateConfigMapUpdate */
export function validateConfigMapUpdate(configMap: ConfigMap, old: ConfigMap): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMetaUpdate(configMap.metadata, old.metadata),
    ...(old.immutable ? validateUnchanged(configMap, old) : []),
    ...validateConfigMap(configMap),
  ];
}

function pushKeyFaults(errors: FieldError[], field: 'data' | 'binaryData', key: string): void {
  for (const fault of isConfigMapKey(key)) errors.push(fieldInvalid(FieldPath.of(field).key(key), key, fault));
}

function validateUnchanged(configMap: ConfigMap, old: ConfigMap): FieldError[] {
  const changed = (['data', 'binaryData'] as const).filter((field) => !equalJson(configMap[field], old[field]));
  const fields = configMap.immutable ? changed : ['immutable', ...changed];
  return fields.map((field) => fieldForbidden(FieldPath.of(field), 'field is immutable when `immutable` is set'));
}
