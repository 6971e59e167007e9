import type { ConfigMapNodeConfigSource, NodeConfigSource, NodeConfigStatus } from '@apiserver/api/core/v1';
import {
  type FieldError,
  type FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { isConfigMapKey, nameIsDNSSubdomain, validateNamespaceName } from '@apiserver/apimachinery/validation';
import { validateRequired } from '../validation/required-field.js';

/**
 * The feature was removed; stored nodes may keep the field, with its rules.
 * Upstream: validateNodeConfigSourceSpec of pkg/apis/core/validation/validation.go
 */
export function validateConfigSourceSpec(source: NodeConfigSource | undefined, path: FieldPath): FieldError[] {
  return validateSource(source, path, (configMap, at) => [
    ...(configMap.uid ? [fieldForbidden(at.child('uid'), 'uid must not be set in spec')] : []),
    ...(configMap.resourceVersion
      ? [fieldForbidden(at.child('resourceVersion'), 'resourceVersion must not be set in spec')]
      : []),
  ]);
}

/** Upstream: validateNodeConfigStatus */
export function validateConfigStatus(status: NodeConfigStatus | undefined, path: FieldPath): FieldError[] {
  if (status === undefined) return [];
  return (['assigned', 'active', 'lastKnownGood'] as const).flatMap((field) =>
    validateSource(status[field], path.child(field), (configMap, at) => [
      ...validateRequired(configMap.uid, at.child('uid')),
      ...validateRequired(configMap.resourceVersion, at.child('resourceVersion')),
    ]),
  );
}

function validateSource(
  source: NodeConfigSource | undefined,
  path: FieldPath,
  validateIdentity: (configMap: ConfigMapNodeConfigSource, path: FieldPath) => FieldError[],
): FieldError[] {
  if (source === undefined) return [];
  const { configMap } = source;
  const at = path.child('configMap');
  if (configMap === undefined) {
    return [fieldInvalid(path, { ConfigMap: null }, 'exactly one reference subfield must be non-nil')];
  }
  return [...validateIdentity(configMap, at), ...validateConfigMapReference(configMap, at)];
}

function validateConfigMapReference(configMap: ConfigMapNodeConfigSource, path: FieldPath): FieldError[] {
  const rules = {
    namespace: (text: string) => validateNamespaceName(text),
    name: (text: string) => nameIsDNSSubdomain(text),
    kubeletConfigKey: isConfigMapKey,
  };
  return (['namespace', 'name', 'kubeletConfigKey'] as const).flatMap((field) => {
    const text = configMap[field];
    if (!text) return [fieldRequired(path.child(field), '')];
    return rules[field](text).map((fault) => fieldInvalid(path.child(field), text, fault));
  });
}
