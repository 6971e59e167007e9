import type { ConfigMapKeySelector, EnvFromSource, EnvVar, FileKeySelector } from '@apiserver/api/core/v1';
import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { isConfigMapKey, isRelaxedEnvVarName, nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';
import { validateDNS1123Label } from '../../validation/dns-fields.js';
import { validatePathNoBacksteps } from '../../validation/local-path.js';
import { ENV_FIELDS, validateObjectField, validateResourceField } from '../volumes/downward-api.js';

const MORE_THAN_ONE = 'may not have more than one field specified at a time';

/** Upstream: ValidateEnv of pkg/apis/core/validation/validation.go */
export function validateEnv(variables: readonly EnvVar[], allowFiles: boolean, path: FieldPath): FieldError[] {
  return variables.flatMap((variable, i) => [
    ...validateName(variable.name, path.index(i).child('name')),
    ...validateValueFrom(variable, allowFiles, path.index(i).child('valueFrom')),
  ]);
}

function validateName(name: string, path: FieldPath): FieldError[] {
  if (!name) return [fieldRequired(path, '')];
  return isRelaxedEnvVarName(name).map((fault) => fieldInvalid(path, name, fault));
}

function validateValueFrom({ value, valueFrom }: EnvVar, allowFiles: boolean, path: FieldPath): FieldError[] {
  if (valueFrom === undefined) return [];
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  const errors: FieldError[] = [];
  if (fieldRef !== undefined) errors.push(...validateObjectField(fieldRef, ENV_FIELDS, path.child('fieldRef')));
  if (resourceFieldRef !== undefined) {
    const place = path.child('resourceFieldRef');
    errors.push(...validateResourceField(resourceFieldRef, { needsContainer: false }, place));
  }
  if (configMapKeyRef !== undefined) errors.push(...validateKeyRef(configMapKeyRef, path.child('configMapKeyRef')));
  if (secretKeyRef !== undefined) errors.push(...validateKeyRef(secretKeyRef, path.child('secretKeyRef')));
  if (fileKeyRef !== undefined) errors.push(...validateFileKeyRef(fileKeyRef, path.child('fileKeyRef')));
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef];
  const fault = sourcesFault(sources.filter((source) => source !== undefined).length, value, allowFiles);
  return fault === undefined ? errors : [...errors, fieldInvalid(path, '', fault)];
}

function sourcesFault(count: number, value: string | undefined, allowFiles: boolean): string | undefined {
  if (count === 0) {
    const last = allowFiles ? ', `secretKeyRef` or `fileKeyRef`' : ' or `secretKeyRef`';
    return `must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\`${last}`;
  }
  if (value) return 'may not be specified when `value` is not empty';
  return count > 1 ? MORE_THAN_ONE : undefined;
}

/** Validates a key of a ConfigMap or Secret. */
function validateKeyRef({ name = '', key }: ConfigMapKeySelector, path: FieldPath): FieldError[] {
  const errors = nameIsDNSSubdomain(name).map((fault) => fieldInvalid(path.child('name'), name, fault));
  const keyPath = path.child('key');
  if (!key) return [...errors, fieldRequired(keyPath, '')];
  return [...errors, ...isConfigMapKey(key).map((fault) => fieldInvalid(keyPath, key, fault))];
}

/** Validates a variable in a file of a volume. Upstream: validateFileKeySelector */
function validateFileKeyRef({ key, volumeName, path: file }: FileKeySelector, path: FieldPath): FieldError[] {
  const volumePath = path.child('volumeName');
  const filePath = path.child('path');
  return [
    ...validateName(key, path.child('key')),
    ...(volumeName ? validateDNS1123Label(volumeName, volumePath) : [fieldRequired(volumePath, '')]),
    ...(file ? validatePathNoBacksteps(file, filePath) : [fieldRequired(filePath, '')]),
  ];
}

/** Upstream: ValidateEnvFrom */
export function validateEnvFrom(sources: readonly EnvFromSource[], path: FieldPath): FieldError[] {
  return sources.flatMap(({ prefix, configMapRef, secretRef }, i) => {
    const place = path.index(i);
    const errors = prefix ? validateName(prefix, place.child('prefix')) : [];
    if (configMapRef !== undefined) errors.push(...validateSource(configMapRef.name, place.child('configMapRef')));
    if (secretRef !== undefined) errors.push(...validateSource(secretRef.name, place.child('secretRef')));
    // The path is that of the list, as upstream.
    if (configMapRef === undefined && secretRef === undefined) {
      errors.push(fieldInvalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      errors.push(fieldInvalid(path, '', MORE_THAN_ONE));
    }
    return errors;
  });
}

/** The name may end with a dash, as a prefix. */
function validateSource(name: string | undefined, path: FieldPath): FieldError[] {
  const place = path.child('name');
  if (!name) return [fieldRequired(place, '')];
  return nameIsDNSSubdomain(name, true).map((fault) => fieldInvalid(place, name, fault));
}
