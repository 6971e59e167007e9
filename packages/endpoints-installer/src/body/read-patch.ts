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
  writeJsonPatchedSteps,
  writeMergePatchedSteps,
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
   * True if the new document must be read from its text: the patch repeats names, which the document repeats, or it has
   * numbers beyond a double.
   */
  readonly isOdd: boolean;
  /** A new document. Throws a StatusError if the patch does not apply. */
  change(document: Json): Json;
  /** The same in steps, if it may take long. */
  changeInSteps?(document: Json): Generator<void, Json>;
  /**
   * Upstream's text of the new document before `escapeHtml`, from that of the old one; absent if errors show the patch.
   */
  write?(document: Uint8Array): Generator<void, string>;
  /** The patch as shown in an error. Present if `write` is absent. */
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

function openPatch(input: PatchInput, parsed: ParsedPatch, strictErrors: readonly string[]): ReadPatch {
  switch (input.type) {
    case 'application/json-patch+json':
      return openJsonPatch(input, parsed, strictErrors);
    case 'application/merge-patch+json':
      return openMergePatch(input, parsed, strictErrors);
    default:
      return openStrategicMergePatch(input, parsed, strictErrors);
  }
}

function openJsonPatch(
  { bytes, directive }: PatchInput,
  { value, isOdd }: ParsedPatch,
  strictErrors: readonly string[],
): ReadPatch {
  const operations = decodeJsonPatch(value, directive);
  return {
    strictErrors,
    sparesManagedFields:
      !isOdd && operations.every(({ path, from }) => isBesideManagedFields(path) && isBesideManagedFields(from)),
    copies: operations.some(({ op }) => op === 'copy'),
    isOdd,
    change: (document) => applyWrittenJsonPatch(document, operations, bytes),
    write: (document) => writeJsonPatchedSteps(document, bytes),
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

function openMergePatch(
  { bytes, directive }: PatchInput,
  { value, isOdd }: ParsedPatch,
  strictErrors: readonly string[],
): ReadPatch {
  return {
    strictErrors,
    sparesManagedFields: !isOdd && leavesManagedFields(value),
    copies: false,
    isOdd,
    change: (document) => applyMergePatch(document as JsonObject, value, directive),
    write: (document) => writeMergePatchedSteps(document, bytes, directive),
  };
}

function openStrategicMergePatch(
  { scope }: PatchInput,
  { value }: ParsedPatch,
  strictErrors: readonly string[],
): ReadPatch {
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
    isOdd: false,
    change: (document) => scope.codec.strategicMerge(document, patch, opened),
    changeInSteps: (document) => scope.codec.strategicMergeSteps(document, patch, opened),
    shown: () => formatGoValue(applied),
  };
}

interface ParsedPatch {
  readonly text: ParsedJson;
  /** Numbers beyond a double are infinite. */
  readonly value: Json;
  readonly hasDuplicates: boolean;
  readonly isOdd: boolean;
}

/** Throws a 400 for text that is not JSON. */
function parsePatch(input: PatchInput): ParsedPatch {
  try {
    const text = parseJson(input.bytes);
    const exact = keepsNumbers(input, text.value) ? numbersKept(text) : exactJson(text);
    const value = exact ?? text.value;
    const hasDuplicates = countMembers(value) !== text.scan.members;
    return { text, value, hasDuplicates, isOdd: hasDuplicates || exact === undefined };
  } catch (error) {
    throw isDecodeError(error) ? newBadRequest(undecodable(input, error.message)) : error;
  }
}

/** Reports whether upstream reads no numbers, or refuses them later. */
function keepsNumbers({ type, directive }: PatchInput, value: Json): boolean {
  if (type === 'application/json-patch+json') return true;
  return type === 'application/merge-patch+json' && (directive === 'Ignore' || !isMembers(value));
}

/** The exact value; undefined for one with numbers beyond a double. */
function numbersKept(text: ParsedJson): Json | undefined {
  try {
    return exactJson(text);
  } catch (error) {
    if (isDecodeError(error) && error.reason === 'type') return undefined;
    throw error;
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
  { text, value, hasDuplicates, isOdd }: ParsedPatch,
): Generator<void, readonly string[]> {
  if (directive === 'Ignore') return [];
  if (type === 'application/json-patch+json') return yield* jsonPatchErrorSteps(text.bytes, value, isOdd);
  return hasDuplicates ? (yield* strictErrorSteps(text.bytes)).strictErrors : [];
}
