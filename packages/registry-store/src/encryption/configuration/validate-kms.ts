import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { schemeOf } from '@apiserver/apimachinery/validation';
import { parseDuration, urlFault } from '@apiserver/apimachinery/values';
import type { KmsConfiguration } from './encryption-configuration.js';

/** Names of the plugins before this one, and whether the file may be reloaded. */
export interface KmsContext {
  readonly kmsNames: ReadonlySet<string>;
  readonly reload: boolean;
}

/** Upstream: validateKMSConfiguration of k8s.io/apiserver/pkg/apis/apiserver/validation/validation_encryption.go */
export function validateKms(kms: KmsConfiguration, path: FieldPath, context: KmsContext): readonly FieldError[] {
  return [
    ...validateName(kms, path.child('name'), context),
    ...validateTimeout(kms, path.child('timeout')),
    ...validateEndpoint(kms, path.child('endpoint')),
    ...validateCacheSize(kms, path.child('cachesize')),
    ...validateVersion(kms, path.child('apiVersion')),
  ];
}

function validateName(
  { name, apiVersion }: KmsConfiguration,
  path: FieldPath,
  { kmsNames, reload }: KmsContext,
): readonly FieldError[] {
  const errors = name === '' ? [fieldRequired(path, 'name is a mandatory field for a provider')] : [];
  if (apiVersion !== 'v1' && name.includes(':')) {
    errors.push(fieldInvalid(path, name, `invalid KMS provider name ${name}, must not contain ':'`));
  }
  if ((reload || apiVersion !== 'v1') && kmsNames.has(name)) {
    errors.push(fieldInvalid(path, name, `duplicate KMS provider name ${name}, names must be unique`));
  }
  return errors;
}

function validateTimeout({ timeout = '0s' }: KmsConfiguration, path: FieldPath): readonly FieldError[] {
  return parseDuration(timeout) > 0n ? [] : [fieldInvalid(path, timeout, 'timeout should be a positive value')];
}

function validateEndpoint({ endpoint }: KmsConfiguration, path: FieldPath): readonly FieldError[] {
  if (endpoint === '') return [fieldInvalid(path, '', 'endpoint is a mandatory field for a kms')];
  const why = urlFault(endpoint);
  if (why !== undefined) {
    return [fieldInvalid(path, endpoint, `invalid endpoint for kms provider, error: ${why}`)];
  }
  const scheme = schemeOf(endpoint);
  if (scheme === 'unix') return [];
  const detail = `unsupported scheme "${scheme}" for KMS provider, only unix is supported`;
  return [fieldInvalid(path, endpoint, detail)];
}

function validateCacheSize({ apiVersion, cachesize }: KmsConfiguration, path: FieldPath): readonly FieldError[] {
  if (cachesize === undefined) return [];
  if (apiVersion !== 'v1') return [fieldInvalid(path, cachesize, 'cachesize is not supported in v2')];
  if (cachesize !== 0) return [];
  return [fieldInvalid(path, cachesize, 'cachesize should be a positive value, or negative to disable')];
}

function validateVersion({ apiVersion = '' }: KmsConfiguration, path: FieldPath): readonly FieldError[] {
  if (apiVersion === 'v1' || apiVersion === 'v2') return [];
  // Upstream prints the field's name instead of the value.
  const detail = 'unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported';
  return [fieldInvalid(path, apiVersion, detail)];
}
