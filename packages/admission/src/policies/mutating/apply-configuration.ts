import { formatGroupVersion, formatGroupVersionKind, type JsonObject, type KubeObject } from '@apiserver/apimachinery';
import { messageOf } from '@apiserver/apimachinery/errors';
import {
  type MergeType,
  mergeApplyConfiguration,
  mergeTypeOfKind,
} from '@apiserver/apimachinery/structured-merge-diff';
import type { EndpointVersion } from '@apiserver/apiserver-contracts';
import {
  configurationJson,
  EvaluationError,
  type ForeignValue,
  foreignValues,
  isTooLarge,
  MadeObject,
  misplacedTypes,
  type Value,
} from '@apiserver/cel';
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
  const foreign = foreignValues(value);
  if (foreign.length > 0) {
    throw failure(`failed to convert patch object to typed object: ${foreignErrors(version, foreign)}`);
  }
  const merged = merge(version.codec.schema, object, { ...json, ...kind });
  try {
    return version.codec.fromUnstructured(merged, 'Ignore').object;
  } catch (error) {
    const named = formatGroupVersionKind(version.kind);
    throw new MutationError(`unable to convert unstructured object to ${named}: ${messageOf(error)}`);
  }
}

/**
 * The errors of values that do not fit any type, as those of the merge. Values below one undeclared field have one
 * error.
 */
function foreignErrors({ codec }: EndpointVersion, foreign: readonly ForeignValue[]): string {
  const root = mergeTypeOfKind(codec.schema);
  const errors = new Set(foreign.map((value) => foreignError(root, value)).filter(isFirstOfList()));
  const [first = ''] = errors;
  return errors.size === 1 ? first : ['errors:', ...[...errors].map((error) => `  ${error}`)].join('\n');
}

function foreignError(root: MergeType, value: ForeignValue): string {
  let type: MergeType | undefined = root;
  let path = '';
  for (const [at, part] of value.path.entries()) {
    const isLast = at === value.path.length - 1;
    if (type.scalar === 'numeric') return `${path}: ${mismatch(type, { ...value, goType: goTypeWith(part) })}`;
    if (isLast && type.list !== undefined && !type.list.atomic) return memberOfSet(type.list, path, value);
    path += typeof part === 'number' ? `[${part}]` : `.${part}`;
    type = typeof part === 'number' ? type.list?.element : (type.map?.fields.get(part)?.type ?? type.map?.element);
    if (type === undefined) return `${path}: field not declared in schema`;
  }
  return `${path}: ${mismatch(type, value)}`;
}

/** The Go type of a value that has the part. */
function goTypeWith(part: string | number): string {
  return typeof part === 'number' ? '[]interface {}' : 'map[string]interface {}';
}

/** Upstream reports one element of a list with keys. */
function isFirstOfList(): (error: string) => boolean {
  const lists = new Set<string>();
  return (error) => {
    const end = error.indexOf(': element ');
    if (end < 0) return true;
    const isFirst = !lists.has(error.slice(0, end));
    lists.add(error.slice(0, end));
    return isFirst;
  };
}

/** The error of a value whose place in the list cannot be known. */
function memberOfSet({ keys, element }: NonNullable<MergeType['list']>, path: string, value: ForeignValue): string {
  if (keys.length === 0) return `${path}[={{undefined}}]: ${mismatch(element, value)}`;
  return `${path}: element ${value.path.at(-1)}: associative list with keys may not have non-map elements`;
}

function mismatch(type: MergeType, { text, syntax, goType }: ForeignValue): string {
  if (type.map !== undefined) return `expected map, got &{${text}}`;
  switch (type.scalar) {
    case undefined:
      return `expected list, got &{${text}}`;
    case 'numeric':
      return `expected numeric (int or float), got ${goType}`;
    case 'string':
      return `expected string, got &value.valueUnstructured{Value:${syntax}}`;
    case 'boolean':
      return `expected boolean, got &{${text}}`;
    default:
      return `expected any scalar, got &{${text}}`;
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
