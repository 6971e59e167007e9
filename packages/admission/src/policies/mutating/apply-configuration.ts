import { formatGroupVersion, formatGroupVersionKind, type JsonObject, type KubeObject } from '@apiserver/apimachinery';
import { messageOf } from '@apiserver/apimachinery/errors';
import { mergeApplyConfiguration, mergeTypeOfKind } from '@apiserver/apimachinery/structured-merge-diff';
import { configurationJson, EvaluationError, isTooLarge, MadeObject, misplacedTypes, type Value } from '@apiserver/cel';
import type { VersionedAttributes } from '../../matching/versioned-request.js';
import { isJsonObject } from './json-values.js';
import { MutationError, TOO_LARGE } from './mutation-error.js';

/**
 * Merges the apply configuration that a mutation evaluates to.
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch/smd.go
 */
export function applyConfiguration({ attributes, version, object }: VersionedAttributes, value: Value): KubeObject {
  if (!(value instanceof MadeObject)) {
    throw new MutationError('unsupported return type from ApplyConfiguration expression');
  }
  if (isTooLarge(value)) throw new MutationError(TOO_LARGE);
  const misplaced = misplacedTypes(value);
  if (misplaced.length > 0) throw new MutationError(`type mismatch: ${misplaced.join('\n')}`);
  const kind = { apiVersion: formatGroupVersion(version.kind), kind: version.kind.kind };
  if (attributes.operation === 'CONNECT') {
    // The kinds of options are not in the OpenAPI document, which types configurations upstream.
    const named = formatGroupVersionKind(version.kind);
    throw failure(`failed to convert patch object to typed object: no corresponding type for ${named}`);
  }
  const configuration = configurationJson(value);
  if (configuration instanceof EvaluationError) throw new MutationError('invalid return type: *dynamic.ObjectVal');
  const { json } = configuration;
  if (!isJsonObject(json)) throw new TypeError('an object is no JSON object');
  const merged = merge(version.codec.schema, object, { ...json, ...kind });
  try {
    return version.codec.fromUnstructured(merged, 'Ignore').object;
  } catch (error) {
    const named = formatGroupVersionKind(version.kind);
    throw new MutationError(`unable to convert unstructured object to ${named}: ${messageOf(error)}`);
  }
}

function merge(schema: Parameters<typeof mergeTypeOfKind>[0], object: unknown, configuration: JsonObject): JsonObject {
  try {
    const merged = mergeApplyConfiguration(mergeTypeOfKind(schema), object, configuration);
    return isJsonObject(merged) ? merged : {};
  } catch (error) {
    throw failure(messageOf(error));
  }
}

function failure(message: string): MutationError {
  return new MutationError(`error applying patch: ${message}`);
}
