import { formatGroupVersion, type Json, type JsonObject, type KubeObject } from '@apiserver/apimachinery';
import type { Decoded } from '@apiserver/apimachinery/codec';
import { exactJson, parseJson, stringifyJson } from '@apiserver/apimachinery/codec/json';
import { isDecodeError, newBadRequest, newInvalid, type StatusError } from '@apiserver/apimachinery/errors';
import { FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { applyMergePatch, applyWrittenJsonPatch, decodeJsonPatch } from '@apiserver/apimachinery/patch';
import type { AnyResourceDefinition, Exchange } from '@apiserver/apiserver-contracts';
import { markReset, resetsManagedFields } from '../managed-fields/reset-marker.js';
import type { ValidationDirective } from '../options/write-options.js';
import { isCustomResource } from '../scope/custom-resource.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { decodedKind, goJsonType, jsonTypeMeta, kindMismatch, ownMember } from './body-kind.js';
import { refuseManyAdded, refuseManyValues } from './body-values.js';
import { strictDecodingError } from './decode-body.js';
import { duplicateFields } from './duplicate-fields.js';
import { printGoValue } from './print-go-value.js';
import { toHub } from './to-hub.js';
import { warnStrictErrors } from './warn-strict-errors.js';

/** The content types of patches. */
export type PatchType =
  | 'application/json-patch+json'
  | 'application/merge-patch+json'
  | 'application/strategic-merge-patch+json'
  | ApplyType;

/** Server-side apply: a configuration, which is merged by who owns what. */
export const APPLY_PATCH = 'application/apply-patch+yaml';
/** The same in CBOR. */
export const APPLY_CBOR_PATCH = 'application/apply-patch+cbor';
/** The content types of configurations. */
export type ApplyType = typeof APPLY_PATCH | typeof APPLY_CBOR_PATCH;

/** Whether a patch is a configuration to apply. */
export function isApplyType(type: PatchType): type is ApplyType {
  return type === APPLY_PATCH || type === APPLY_CBOR_PATCH;
}

/**
 * The patch types of a resource and its subresources, in the order in which messages list them; `cbor` is there where CBOR
 * is served.
 */
export function patchTypes(definition: AnyResourceDefinition, cbor?: object): readonly PatchType[] {
  const types = isCustomResource(definition) ? customPatchTypes : builtInPatchTypes;
  return cbor === undefined ? types : [...types, APPLY_CBOR_PATCH];
}

const customPatchTypes: readonly PatchType[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  APPLY_PATCH,
];
const builtInPatchTypes: readonly PatchType[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  APPLY_PATCH,
];

/** A patch that has been read and can be applied, as often as it takes. */
export interface PatchMechanism {
  /**
   * The patched object, fresh, defaulted, in the hub version, without a change to its managed fields but those of the
   * patch. Throws a 400 or 422. `current` stays as it is.
   */
  apply(current: KubeObject, isLarge: boolean): Generator<void, KubeObject>;
}

/** A patch as it came. */
export interface PatchInput {
  readonly scope: EndpointScope;
  readonly exchange: Exchange;
  readonly type: Exclude<PatchType, ApplyType>;
  readonly bytes: Uint8Array;
  readonly directive: ValidationDirective;
}

/** How a patch changes a document, whatever comes of it. */
interface ReadPatch {
  /** Duplicate and unknown fields of the patch itself. */
  readonly strictErrors: readonly string[];
  /** Whether it says nothing of managed fields, nor of all that they are among. */
  readonly sparesManagedFields: boolean;
  /** A fresh document. Throws a StatusError when the patch does not apply. */
  change(document: Json): Json;
  /** How a refusal shows what was refused. */
  shown(patched: Json): string;
}

/**
 * Reads a patch. What is wrong with it is thrown when it is applied: a patch of an object that does not exist is a 404,
 * whatever it says.
 *
 * Upstream: jsonPatcher and smpPatcher in k8s.io/apiserver/pkg/endpoints/handlers/patch.go
 */
export function patchMechanism(input: PatchInput): PatchMechanism {
  const { scope } = input;
  let patch: ReadPatch | undefined;
  return {
    apply: function* (current, isLarge) {
      patch ??= readPatch(input);
      if (isLarge) yield;
      const document = scope.toVersion(current);
      const { managedFields, ...metadata } = document.metadata;
      if (managedFields === undefined || !patch.sparesManagedFields) {
        return yield* decodePatched(input, patch, { document, shown: document, isLarge });
      }
      // They are a third of a small object, would be copied, decoded and compared, and come out as they were.
      const object = yield* decodePatched(input, patch, {
        document: { ...document, metadata },
        shown: document,
        isLarge,
      });
      object.metadata.managedFields = managedFields;
      return object;
    },
  };
}

function readPatch(input: PatchInput): ReadPatch {
  switch (input.type) {
    case 'application/json-patch+json':
      return readJsonPatch(input);
    case 'application/merge-patch+json':
      return readMergePatch(input);
    default:
      return readStrategicMergePatch(input);
  }
}

function readJsonPatch({ bytes, directive }: PatchInput): ReadPatch {
  const { value, duplicates } = parsePatch(bytes, directive, directive === 'Ignore' ? asItIs : undecodable);
  const { operations, strictErrors } = decodeJsonPatch(value, directive);
  return {
    strictErrors: [...duplicates.map((error) => `json patch ${error}`), ...strictErrors],
    sparesManagedFields: operations.every(
      ({ path, from }) => isBesideManagedFields(path) && isBesideManagedFields(from),
    ),
    change: (document) => applyWrittenJsonPatch(document, operations, bytes),
    shown: stringifyJson,
  };
}

/** Conservative: pointers that are written in an unusual way may mean anything. */
function isBesideManagedFields(pointer: Json | undefined): boolean {
  if (pointer === undefined) return true;
  return typeof pointer === 'string' && /^\/(?!metadata(?:$|\/managedFields))[^~]*$/.test(pointer);
}

/** Whether a merge patch leaves metadata an object, and its managed fields alone; directives may mean anything. */
function leavesManagedFields(patch: Json): boolean {
  if (!isObject(patch) || Object.keys(patch).some(isDirective)) return false;
  const { metadata = {} } = patch;
  return isObject(metadata) && !Object.keys(metadata).some((key) => key === 'managedFields' || isDirective(key));
}

function isDirective(key: string): boolean {
  return key.startsWith('$');
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readMergePatch({ bytes, directive }: PatchInput): ReadPatch {
  // The reason why a text is no JSON is what upstream keeps for itself where nobody validates fields.
  const describe = directive === 'Ignore' ? () => 'Invalid JSON Patch' : undecodable;
  const { value, duplicates } = parsePatch(bytes, directive, describe);
  return {
    strictErrors: duplicates,
    sparesManagedFields: leavesManagedFields(value),
    change: (document) => applyMergePatch(document as JsonObject, value, directive),
    shown: stringifyJson,
  };
}

function readStrategicMergePatch({ scope, bytes, directive }: PatchInput): ReadPatch {
  const { value, duplicates } = parsePatch(bytes, directive, asItIs);
  if (value !== null && (typeof value !== 'object' || Array.isArray(value))) {
    const type = goJsonType(value);
    throw newBadRequest(`json: cannot unmarshal ${type} into Go value of type map[string]interface {}`);
  }
  const patch = value ?? {};
  return {
    strictErrors: duplicates,
    sparesManagedFields: leavesManagedFields(patch),
    change: (document) => scope.codec.strategicMerge(document, patch),
    shown: () => printGoValue(patch),
  };
}

interface ParsedPatch {
  readonly value: Json;
  /** What strict decoding says of keys that stand twice; nothing when nobody wants to know. */
  readonly duplicates: readonly string[];
}

const asItIs = (reason: string): string => reason;
const undecodable = (reason: string): string => `error decoding patch: ${reason}`;

function parsePatch(
  bytes: Uint8Array,
  directive: ValidationDirective,
  describe: (reason: string) => string,
): ParsedPatch {
  refuseManyValues(bytes, 'json');
  try {
    const parsed = parseJson(bytes);
    return { value: exactJson(parsed), duplicates: directive === 'Ignore' ? [] : duplicateFields(parsed) };
  } catch (error) {
    throw isDecodeError(error) ? newBadRequest(describe(error.message)) : error;
  }
}

/** What is patched, and whose patched form messages show. */
interface PatchedDocuments {
  readonly document: KubeObject;
  readonly shown: KubeObject;
  /** Yields between steps. */
  readonly isLarge: boolean;
}

/** Patches a document and makes an object of it again, with what strict decoding has to say about it. */
function* decodePatched(
  { scope, exchange, type, directive }: PatchInput,
  patch: ReadPatch,
  { document, shown, isLarge }: PatchedDocuments,
): Generator<void, KubeObject> {
  const patched = patch.change(asJson(document));
  refuseManyAdded(patched, document);
  if (isLarge) yield;
  const text = () => patch.shown(patch.change(asJson(shown)));
  const refuse = (why: string): StatusError =>
    newInvalid({ group: '', kind: '' }, '', [fieldInvalid(FieldPath.of('patch'), text(), why)]);
  const { codec } = scope;
  const isStrategic = type === 'application/strategic-merge-patch+json';
  if (!isStrategic) checkTypeMeta(scope, patched, { refuse, text });
  const isReset = resetsManagedFields(patched);
  const { object, strictErrors } = decoded(
    () => (isStrategic ? codec.fromUnstructured(patched, directive) : codec.fromJson(patched, directive)),
    refuse,
  );
  if (isLarge) yield;
  // What a strategic merge makes is of the kind it was, whatever it says.
  const mismatch = isStrategic ? undefined : kindMismatch(scope, decodedKind(object, scope.kind));
  if (mismatch !== undefined) throw refuse(mismatch);
  if (isReset) markReset(object, codec.schema);
  if (codec.schema.semantics === 'structural') checkVersion(scope, object);
  if (codec.schema.semantics === 'typed') {
    object.apiVersion = formatGroupVersion(scope.kind);
    object.kind = scope.kind.kind;
  }
  const errors = [...patch.strictErrors, ...strictErrors];
  if (directive === 'Strict' && errors.length > 0) throw refuse(strictDecodingError(errors));
  warnStrictErrors(exchange.context.warnings, errors);
  return toHub(scope, object);
}

function decoded(decode: () => Decoded<KubeObject>, refuse: (why: string) => StatusError): Decoded<KubeObject> {
  try {
    return decode();
  } catch (error) {
    throw isDecodeError(error) ? refuse(error.message) : error;
  }
}

/** Upstream reads what JSON and merge patches make as it reads a body: first of all what it says that it is. */
function checkTypeMeta(
  scope: EndpointScope,
  patched: Json,
  { refuse, text }: { readonly refuse: (why: string) => StatusError; readonly text: () => string },
): void {
  try {
    jsonTypeMeta(patched);
    if (scope.codec.schema.semantics === 'typed' || ownMember(patched, 'kind')) return;
  } catch (error) {
    throw isDecodeError(error) ? refuse(error.message) : error;
  }
  throw refuse(`Object 'Kind' is missing in '${text()}'`);
}

/**
 * Refuses a custom resource that a patch took to its storage version: later it would look like one that belongs there.
 * Validation finds any other wrong version. Throws a 422.
 *
 * Upstream: ValidateTypeMeta of k8s.io/apiextensions-apiserver/pkg/registry/customresource/validator.go
 */
function checkVersion({ kind, definition }: EndpointScope, { apiVersion, metadata }: KubeObject): void {
  const hub = formatGroupVersion({ group: kind.group, version: definition.hubVersion });
  const own = formatGroupVersion(kind);
  if (apiVersion !== hub || apiVersion === own) return;
  throw newInvalid(kind, metadata.name ?? '', [fieldInvalid(FieldPath.of('apiVersion'), apiVersion, `must be ${own}`)]);
}

/** The one place where an object is taken for the plain JSON that it is. */
function asJson(object: KubeObject): Json {
  return object as unknown as Json;
}
