import { newGenericServerResponse } from '../errors/generic-server-response.js';
import { StatusError } from '../errors/status-error.js';
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

/** 500 without a reason: an error that upstream passes on bare. */
export function plainError(message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}

/** An element without the key that identifies it. */
export function noMergeKey(element: unknown, mergeKey: string): StatusError {
  return plainError(`map: ${formatGoValue(element)} does not contain declared merge key: ${mergeKey}`);
}

/** A value of the wrong JSON type for the patch. */
export function badArgumentType(expected: 'map' | 'list', actual: unknown): StatusError {
  const type = expected === 'map' ? 'map[string]interface {}' : '[]interface {}';
  return plainError(`expected a ${type}, but received a ${goTypeName(actual)}`);
}

/** A `$patch` directive that does not exist. */
export function badPatchType(directive: unknown, patch: unknown): StatusError {
  return plainError(`unknown patch type: ${formatGoValue(directive)} in map: ${formatGoValue(patch)}`);
}
