import { newGenericServerResponse } from '../errors/generic-server-response.js';
import { plainFailure } from '../errors/plain-failure.js';
import type { StatusError } from '../errors/status-error.js';
import { newBadRequest } from '../errors/status-factories.js';
import { formatGoValue, goTypeName } from '../json/go-value.js';

/** 400: a patch with a malformed directive. */
export function badPatchFormat(what: 'primitive list' | 'retainKeys' | 'setElementOrder list'): StatusError {
  return newBadRequest(`invalid patch format of ${what}`);
}

/** 422: a list of lists. */
export function noListOfLists(): StatusError {
  return newGenericServerResponse({
    code: 422,
    serverMessage: 'lists of lists are not supported',
    isUnexpectedResponse: false,
  });
}

/** An element without the key that identifies it. */
export function noMergeKey(element: unknown, mergeKey: string): StatusError {
  return plainFailure(500, `map: ${formatGoValue(element)} does not contain declared merge key: ${mergeKey}`);
}

/** A value of the wrong JSON type for the patch. */
export function badArgumentType(expected: 'map' | 'list', actual: unknown): StatusError {
  const type = expected === 'map' ? 'map[string]interface {}' : '[]interface {}';
  return plainFailure(500, `expected a ${type}, but received a ${goTypeName(actual)}`);
}

/** A `$patch` directive that does not exist. */
export function badPatchType(directive: unknown, patch: unknown): StatusError {
  return plainFailure(500, `unknown patch type: ${formatGoValue(directive)} in map: ${formatGoValue(patch)}`);
}
