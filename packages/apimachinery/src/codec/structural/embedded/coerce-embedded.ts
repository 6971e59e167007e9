import { atOnce } from '../../../clock/at-once.js';
import { DecodeError, isDecodeError } from '../../../errors/decode-error.js';
import { appendAll } from '../../../field/append-all.js';
import { type FieldError, fieldErrorMessage, fieldInvalid } from '../../../field/field-error.js';
import { FieldPath } from '../../../field/path.js';
import type { Members } from '../../../json/is-members.js';
import { setOwn } from '../../../json/set-own.js';
import type { StructSchema } from '../../../schema/schema.js';
import type { DecodingSteps } from '../../canonical/decoding-steps.js';
import { parseJsonExact } from '../../json/json-cursor.js';
import { stringifyJson } from '../../json/stringify-json.js';
import type { StructuralNode } from '../structural-node.js';
import { typedMetadataSteps } from '../typed-metadata.js';
import { type InnerResource, walkResources } from './walk-resources.js';

/** The error of a resource's member with a wrong type. */
export class CoercionError extends DecodeError {
  readonly #fieldError: FieldError;

  constructor(fieldError: FieldError) {
    super('type', fieldErrorMessage(fieldError));
    this.#fieldError = fieldError;
  }

  get fieldError(): FieldError {
    return this.#fieldError;
  }
}

/**
 * Makes the metadata of resources inside a custom resource canonical. Mutates. Returns the paths of members that
 * metadata does not have. Throws CoercionError when apiVersion, kind or metadata has a wrong type.
 *
 * Upstream: CoerceWithOptions of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta
 */
export function coerceEmbedded(object: Members, root: StructuralNode, metadata: StructSchema): readonly string[] {
  return coerceResources(object, { ...root, embeddedResource: false }, FieldPath.none, metadata);
}

/** The same in steps, for objects with many such resources, or large ones. */
export function coerceEmbeddedSteps(
  object: Members,
  root: StructuralNode,
  metadata: StructSchema,
): DecodingSteps<readonly string[]> {
  return coerceSteps(walkResources(object, { ...root, embeddedResource: false }), metadata);
}

/** The same for a value at a path that may be such a resource itself. */
export function coerceResources(
  value: unknown,
  node: StructuralNode | undefined,
  at: FieldPath,
  metadata: StructSchema,
): readonly string[] {
  return atOnce(coerceSteps(walkResources(value, node, at), metadata));
}

function* coerceSteps(resources: Iterable<InnerResource>, schema: StructSchema): DecodingSteps<readonly string[]> {
  const unknown: string[] = [];
  for (const inner of resources) {
    appendAll(unknown, yield* coerceResource(inner, schema));
    yield;
  }
  return unknown.sort();
}

function* coerceResource({ resource, path }: InnerResource, schema: StructSchema): DecodingSteps<readonly string[]> {
  for (const name of ['apiVersion', 'kind']) {
    const value = resource[name];
    if (Object.hasOwn(resource, name) && typeof value !== 'string') {
      throw invalid(path.child(name), value, 'must be a string');
    }
  }
  if (!Object.hasOwn(resource, 'metadata')) return [];
  return yield* coerceMetadata(resource, path.child('metadata'), schema);
}

function* coerceMetadata(resource: Members, path: FieldPath, schema: StructSchema): DecodingSteps<readonly string[]> {
  const value = resource['metadata'];
  try {
    const { metadata, unknown } = yield* typedMetadataSteps(value, schema);
    setOwn(resource, 'metadata', metadata);
    return unknown.map((name) => `${path}.${name}`);
  } catch (error) {
    throw isDecodeError(error) ? invalid(path, value, error.message) : error;
  }
}

/** The error of a value with a wrong type. Objects are shown with sorted keys. */
function invalid(path: FieldPath, value: unknown, detail: string): CoercionError {
  const shown = typeof value === 'object' ? parseJsonExact(Buffer.from(stringifyJson(value))) : value;
  return new CoercionError(fieldInvalid(path, shown, detail));
}
