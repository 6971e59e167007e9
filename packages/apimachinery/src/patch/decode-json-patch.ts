import { strictErrorSteps } from '../codec/json/exact-decoder.js';
import { newBadRequest, newRequestEntityTooLarge } from '../errors/status-factories.js';
import { jsonTypeName } from '../json/go-value.js';
import { isMembers } from '../json/is-members.js';
import { ANY, list, STRING, struct } from '../schema/builders.js';
import type { Schema } from '../schema/schema.js';
import type { Json, JsonObject } from '../types/json.js';
import type { FieldValidation } from '../types/options.js';

/** Maximum number of operations in one JSON patch. */
export const MAX_JSON_PATCH_OPERATIONS = 10_000;

/** One operation of a JSON patch. As upstream, missing and invalid members are only detected when it is applied. */
export type JsonPatchOperation = { readonly [member: string]: Json };

/** The members of an operation, in upstream's order. */
const MEMBERS: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ['op', STRING],
  ['path', STRING],
  ['from', STRING],
  ['value', ANY],
]);

/** The type by which field validation reads operations. */
const OPERATIONS = list(
  struct('handlers.jsonPatchOp', 'handlers.jsonPatchOp', () =>
    Array.from(MEMBERS, ([member, schema]) => [member, 0, schema] as const),
  ),
);

/**
 * Reads a parsed body as a JSON patch. Throws a StatusError with upstream's text: 400 for the wrong shape, 413 for too
 * many operations. With field validation (empty means Warn) members must have their types; under Ignore only the outer
 * shape is checked.
 *
 * Upstream: applyJSPatch in k8s.io/apiserver/pkg/endpoints/handlers/patch.go
 */
export function decodeJsonPatch(patch: Json, fieldValidation: FieldValidation): readonly JsonPatchOperation[] {
  const lenient = fieldValidation === 'Ignore';
  const operations = operationsOf(patch, lenient);
  if (operations.length > MAX_JSON_PATCH_OPERATIONS) {
    const counts = `is ${MAX_JSON_PATCH_OPERATIONS}, got ${operations.length}`;
    throw newRequestEntityTooLarge(`The allowed maximum operations in a JSON patch ${counts}`);
  }
  return operations;
}

/**
 * Errors of strict decoding of a JSON patch's text, in document order: `json patch unknown field "[0].bogus"`. `isOdd`:
 * it has duplicate keys, or numbers beyond a double. Throws a 400 for a value of a wrong type in an odd one.
 */
export function* jsonPatchErrorSteps(
  bytes: Uint8Array,
  patch: Json,
  isOdd: boolean,
): Generator<void, readonly string[]> {
  if (!isOdd && !hasUnknownMembers(patch)) return [];
  const { strictErrors, typeError } = yield* strictErrorSteps(bytes, OPERATIONS);
  if (typeError !== undefined && isOdd) throw newBadRequest(`error decoding patch: ${typeError}`);
  return strictErrors.map((error) => `json patch ${error}`);
}

function hasUnknownMembers(patch: Json): boolean {
  return (
    Array.isArray(patch) &&
    patch.some((operation) => isMembers(operation) && Object.keys(operation).some((member) => !MEMBERS.has(member)))
  );
}

/** Reads the JSON patch of a webhook, which may have any number of operations. Throws a 400 for the wrong shape. */
export function decodeTrustedJsonPatch(patch: Json): readonly JsonPatchOperation[] {
  return operationsOf(patch, true);
}

function operationsOf(patch: Json, lenient: boolean): readonly JsonPatchOperation[] {
  if (patch !== null && !Array.isArray(patch)) {
    throw unfit(
      lenient,
      `${jsonTypeName(patch)} into Go value of type ${lenient ? 'jsonpatch.Patch' : '[]handlers.jsonPatchOp'}`,
    );
  }
  return (patch ?? []).map((operation) => decodeOperation(operation, lenient));
}

function decodeOperation(operation: Json, lenient: boolean): JsonPatchOperation {
  if (operation === null) return {};
  if (typeof operation !== 'object' || Array.isArray(operation)) {
    const type = lenient ? 'jsonpatch.Operation' : 'handlers.jsonPatchOp';
    throw unfit(lenient, `${jsonTypeName(operation)} into Go value of type ${type}`);
  }
  if (!lenient) checkMemberTypes(operation);
  return operation;
}

function checkMemberTypes(operation: JsonObject): void {
  for (const [member, value] of Object.entries(operation)) {
    if (MEMBERS.get(member) !== STRING || value === null || typeof value === 'string') continue;
    throw unfit(false, `${jsonTypeName(value)} into Go struct field jsonPatchOp.${member} of type string`);
  }
}

function unfit(lenient: boolean, what: string): Error {
  return newBadRequest(`${lenient ? '' : 'error decoding patch: '}json: cannot unmarshal ${what}`);
}
