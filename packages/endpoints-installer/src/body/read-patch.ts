import type { Json, JsonObject } from '@apiserver/apimachinery';
import { atOnce } from '@apiserver/apimachinery/clock';
import {
  countMembers,
  exactJson,
  type ParsedJson,
  parseJson,
  strictErrorSteps,
} from '@apiserver/apimachinery/codec/json';
import { isDecodeError, newBadRequest } from '@apiserver/apimachinery/errors';
import { formatGoValue, isMembers } from '@apiserver/apimachinery/json';
import {
  applyMergePatch,
  applyWrittenJsonPatch,
  decodeJsonPatch,
  jsonPatchErrorSteps,
  type MemberOrder,
} from '@apiserver/apimachinery/patch';
import type { Exchange } from '@apiserver/apiserver-contracts';
import type { ApplyType, PatchType } from '../negotiation/patch-types.js';
import type { ValidationDirective } from '../options/write-options.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { refuseManyValues } from './body-values.js';
import { goJsonType } from './type-meta.js';

/** A patch as received. */
export interface PatchInput {
  readonly scope: EndpointScope;
  readonly exchange: Exchange;
  readonly type: Exclude<PatchType, ApplyType>;
  readonly bytes: Uint8Array;
  readonly directive: ValidationDirective;
}

/** The effect of a patch on a document. */
export interface ReadPatch {
  /** Errors of duplicate and unknown fields of the patch itself. */
  readonly strictErrors: readonly string[];
  /** True if it certainly does not change managed fields. */
  readonly sparesManagedFields: boolean;
  /** True if a small patch may produce a large document. */
  readonly copies: boolean;
  /**
   * A new document. Throws a StatusError if the patch does not apply. `order` gets the order of its members in upstream's
   * text.
   */
  change(document: Json, order?: MemberOrder): Json;
  /** The same in steps, if it may take long. */
  changeInSteps?(document: Json): Generator<void, Json>;
  /** The patch as shown in an error. Default: the changed document. */
  shown?(): string;
}

/** Reads a patch of any type. Throws a 400 for one that is no JSON, has too many values, or is of a wrong shape. */
export function readPatch(input: PatchInput): ReadPatch {
  refuseManyValues(input.bytes, 'json');
  const parsed = parsePatch(input);
  return openPatch(input, parsed, atOnce(strictErrorsIn(input, parsed)));
}

/** The same in steps, for large patches. */
export function* readPatchInSteps(input: PatchInput): Generator<void, ReadPatch> {
  refuseManyValues(input.bytes, 'json');
  yield;
  const parsed = parsePatch(input);
  yield;
  return openPatch(input, parsed, yield* strictErrorsIn(input, parsed));
}

function openPatch(input: PatchInput, { value }: ParsedPatch, strictErrors: readonly string[]): ReadPatch {
  switch (input.type) {
    case 'application/json-patch+json':
      return openJsonPatch(input, value, strictErrors);
    case 'application/merge-patch+json':
      return openMergePatch(input, value, strictErrors);
    default:
      return openStrategicMergePatch(input, value, strictErrors);
  }
}

function openJsonPatch({ bytes, directive }: PatchInput, value: Json, strictErrors: readonly string[]): ReadPatch {
  const operations = decodeJsonPatch(value, directive);
  return {
    strictErrors,
    sparesManagedFields: operations.every(
      ({ path, from }) => isBesideManagedFields(path) && isBesideManagedFields(from),
    ),
    copies: operations.some(({ op }) => op === 'copy'),
    change: (document, order) => applyWrittenJsonPatch(document, operations, bytes, order),
  };
}

/** Returns false for pointers in an unusual notation, which may refer to any field. */
function isBesideManagedFields(pointer: Json | undefined): boolean {
  if (pointer === undefined) return true;
  return typeof pointer === 'string' && /^\/(?!metadata(?:$|\/managedFields))[^~]*$/.test(pointer);
}

/**
 * Reports whether a merge patch leaves the managed fields, and `metadata` as an object. False for directives, which may
 * change any field.
 */
function leavesManagedFields(patch: Json): boolean {
  if (!isMembers(patch) || Object.keys(patch).some(isDirective)) return false;
  const { metadata = {} } = patch;
  return isMembers(metadata) && !Object.keys(metadata).some((key) => key === 'managedFields' || isDirective(key));
}

function isDirective(key: string): boolean {
  return key.startsWith('$');
}

function openMergePatch({ directive }: PatchInput, value: Json, strictErrors: readonly string[]): ReadPatch {
  return {
    strictErrors,
    sparesManagedFields: leavesManagedFields(value),
    copies: false,
    change: (document, order) => applyMergePatch(document as JsonObject, value, directive, order),
  };
}

function openStrategicMergePatch({ scope }: PatchInput, value: Json, strictErrors: readonly string[]): ReadPatch {
  if (value !== null && (typeof value !== 'object' || Array.isArray(value))) {
    const type = goJsonType(value);
    throw newBadRequest(`json: cannot unmarshal ${type} into Go value of type map[string]interface {}`);
  }
  const patch = value ?? {};
  // The merge takes directives and nulls out of its copy, which is what upstream shows.
  let applied: Json = patch;
  const opened = (copy: Json): void => {
    applied = copy;
  };
  return {
    strictErrors,
    sparesManagedFields: leavesManagedFields(patch),
    copies: false,
    change: (document) => scope.codec.strategicMerge(document, patch, opened),
    changeInSteps: (document) => scope.codec.strategicMergeSteps(document, patch, opened),
    shown: () => formatGoValue(applied),
  };
}

interface ParsedPatch {
  readonly text: ParsedJson;
  readonly value: Json;
}

/** Throws a 400 for text that is not JSON. */
function parsePatch(input: PatchInput): ParsedPatch {
  try {
    const text = parseJson(input.bytes);
    return { text, value: exactJson(text) };
  } catch (error) {
    throw isDecodeError(error) ? newBadRequest(undecodable(input, error.message)) : error;
  }
}

function undecodable({ type, directive }: PatchInput, reason: string): string {
  if (type === 'application/strategic-merge-patch+json') return reason;
  if (directive !== 'Ignore') return `error decoding patch: ${reason}`;
  // Upstream omits the reason without field validation.
  return type === 'application/merge-patch+json' ? 'Invalid JSON Patch' : reason;
}

/** Errors of strict decoding of the patch itself; none if they are ignored. */
function* strictErrorsIn(
  { type, directive }: PatchInput,
  { text, value }: ParsedPatch,
): Generator<void, readonly string[]> {
  if (directive === 'Ignore') return [];
  const hasDuplicates = countMembers(value) !== text.scan.members;
  if (type === 'application/json-patch+json') return yield* jsonPatchErrorSteps(text.bytes, value, hasDuplicates);
  return hasDuplicates ? yield* strictErrorSteps(text.bytes) : [];
}
