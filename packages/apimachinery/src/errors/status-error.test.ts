import { describe, expect, it } from 'vitest';
import { fieldRequired } from '../field/field-error.js';
import { FieldPath } from '../field/path.js';
import type { Status } from '../types/status.js';
import { newGenericServerResponse } from './generic-server-response.js';
import { isConflict, isInvalid, isNotFound, isTooManyRequests } from './predicates.js';
import { isStatusError, reasonForError, StatusError, statusCause, suggestsClientDelay } from './status-error.js';
import {
  newAlreadyExists,
  newApplyConflict,
  newBadRequest,
  newConflict,
  newForbidden,
  newGenerateNameConflict,
  newInternalError,
  newInvalid,
  newMethodNotSupported,
  newNotFound,
  newRequestEntityTooLarge,
  newResourceExpired,
  newServerTimeout,
  newTimeout,
  newTooLargeResourceVersion,
  newTooManyRequests,
  newUnauthorized,
} from './status-factories.js';

const pods = { group: '', resource: 'pods' };
const deployments = { group: 'apps', resource: 'deployments' };
const none = { group: '', resource: '' };

function failure(code: number, reason: string | undefined, message: string, details?: object): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason && { reason }),
    ...(details && { details }),
    code,
  };
}

const busy = 'the server has received too many requests and has asked us to try again later';

const cases: readonly (readonly [StatusError, object])[] = [
  [newBadRequest('no'), failure(400, 'BadRequest', 'no')],
  [newUnauthorized(''), failure(401, 'Unauthorized', 'not authorized')],
  [
    newForbidden(none, '', 'User "x" cannot get path "/"'),
    failure(403, 'Forbidden', 'forbidden: User "x" cannot get path "/"', {}),
  ],
  [newForbidden(pods, '', 'no'), failure(403, 'Forbidden', 'pods is forbidden: no', { kind: 'pods' })],
  [
    newForbidden(deployments, 'd', new Error('no')),
    failure(403, 'Forbidden', 'deployments.apps "d" is forbidden: no', {
      name: 'd',
      group: 'apps',
      kind: 'deployments',
    }),
  ],
  [newNotFound(pods, 'p'), failure(404, 'NotFound', 'pods "p" not found', { name: 'p', kind: 'pods' })],
  [
    newMethodNotSupported(deployments, 'list'),
    failure(405, 'MethodNotAllowed', 'list is not supported on resources of kind "deployments.apps"', {
      group: 'apps',
      kind: 'deployments',
    }),
  ],
  [newAlreadyExists(pods, 'p'), failure(409, 'AlreadyExists', 'pods "p" already exists', { name: 'p', kind: 'pods' })],
  [
    newGenerateNameConflict(pods, 'p-x', 1),
    failure(
      409,
      'AlreadyExists',
      'pods "p-x" already exists, the server was not able to generate a unique name for the object',
      { name: 'p-x', kind: 'pods', retryAfterSeconds: 1 },
    ),
  ],
  [
    newConflict(pods, 'p', 'changed'),
    failure(409, 'Conflict', 'Operation cannot be fulfilled on pods "p": changed', { name: 'p', kind: 'pods' }),
  ],
  [
    newApplyConflict([{ reason: 'FieldManagerConflict', message: 'm', field: '.spec' }], 'Apply failed'),
    failure(409, 'Conflict', 'Apply failed', {
      causes: [{ reason: 'FieldManagerConflict', message: 'm', field: '.spec' }],
    }),
  ],
  [newResourceExpired('too old'), failure(410, 'Expired', 'too old')],
  [
    newRequestEntityTooLarge('limit is 3145728'),
    failure(413, 'RequestEntityTooLarge', 'Request entity too large: limit is 3145728'),
  ],
  [
    newInvalid({ group: 'apps', kind: 'Deployment' }, 'd', [fieldRequired(FieldPath.of('spec'), '')]),
    failure(422, 'Invalid', 'Deployment.apps "d" is invalid: spec: Required value', {
      name: 'd',
      group: 'apps',
      kind: 'Deployment',
      causes: [{ reason: 'FieldValueRequired', message: 'Required value', field: 'spec' }],
    }),
  ],
  [newInvalid({ group: '', kind: '' }, '', []), failure(422, 'Invalid', ' "" is invalid', {})],
  [newTooManyRequests('slow down', 0), failure(429, 'TooManyRequests', 'slow down', {})],
  [
    newInternalError(new Error('boom')),
    failure(500, 'InternalError', 'Internal error occurred: boom', { causes: [{ message: 'boom' }] }),
  ],
  [
    newServerTimeout(pods, 'create', 2),
    failure(
      500,
      'ServerTimeout',
      'The create operation against pods could not be completed at this time, please try again.',
      { name: 'create', kind: 'pods', retryAfterSeconds: 2 },
    ),
  ],
  [newTimeout('request', 0), failure(504, 'Timeout', 'Timeout: request', {})],
  [
    newTooLargeResourceVersion(9, 5n, 1),
    failure(504, 'Timeout', 'Timeout: Too large resource version: 9, current: 5', {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    }),
  ],
  [
    newGenericServerResponse({ code: 422, serverMessage: 'hidden' }),
    failure(422, 'Invalid', 'the server rejected our request due to an error in our request', {}),
  ],
  [
    newGenericServerResponse({ code: 429, verb: 'GET', resource: pods, name: 'p' }),
    failure(429, 'TooManyRequests', `${busy} (get pods p)`, { name: 'p', kind: 'pods' }),
  ],
  [
    newGenericServerResponse({ code: 409, verb: 'POST', resource: pods }),
    failure(409, 'AlreadyExists', 'the server reported a conflict (post pods)', { kind: 'pods' }),
  ],
  [
    newGenericServerResponse({ code: 418, serverMessage: 'teapot', isUnexpectedResponse: true }),
    failure(418, undefined, 'the server responded with the status code 418 but did not return more information', {
      causes: [{ reason: 'UnexpectedServerResponse', message: 'teapot' }],
    }),
  ],
  [
    newGenericServerResponse({ code: 502, serverMessage: 'bad\n' }),
    failure(502, 'InternalError', 'an error on the server ("bad\\n") has prevented the request from succeeding', {}),
  ],
];

describe('StatusError', () => {
  it.each(cases)('%s', (error, status) => {
    // Compares the text too: key order is part of the wire format.
    expect(JSON.stringify(error.status)).toBe(JSON.stringify(status));
    expect(error.message).toBe(error.status.message);
  });

  it('is recognised by brand, also from another copy of the class', () => {
    const foreign = new Error('x');
    Object.assign(foreign, { status: newNotFound(pods, 'p').status });
    Object.defineProperty(foreign, Symbol.for('@apiserver/apimachinery.StatusError'), { value: true });
    expect([isStatusError(foreign), isNotFound(foreign), isStatusError(new Error('x')), isStatusError(null)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('has a stack trace only if the server is at fault', () => {
    const framesOf = ({ stack }: Error) => stack?.split('\n    at ').slice(1);
    expect(framesOf(newNotFound({ group: '', resource: 'pods' }, 'a'))).toEqual([]);
    expect(framesOf(newInternalError(new Error('a')))).not.toEqual([]);
    const { code: _, ...status } = newConflict({ group: '', resource: 'pods' }, 'a', new Error('b')).status;
    expect(framesOf(new StatusError(status))).not.toEqual([]);
    expect(framesOf(new Error('another'))).not.toEqual([]);
  });

  it('finds a status in the chain of causes', () => {
    const wrapped = new Error('outer', { cause: newConflict(pods, 'p', 'x') });
    const circular: Error = new Error('circular');
    circular.cause = circular;
    expect([isConflict(wrapped), reasonForError(wrapped), reasonForError(circular)]).toEqual([
      true,
      'Conflict',
      undefined,
    ]);
  });

  it('uses the code only if the reason is unknown', () => {
    const odd = (reason: string | undefined, code: number) =>
      new StatusError({ ...newBadRequest('x').status, reason, code } as Status);
    expect([
      isNotFound(odd(undefined, 404)),
      isNotFound(odd('Teapot', 404)),
      isNotFound(odd('Gone', 404)),
      isInvalid(odd('Conflict', 422)),
      isTooManyRequests(odd('Gone', 429)),
    ]).toEqual([true, true, false, false, true]);
  });

  it('reports a suggested delay and a cause', () => {
    const tooLarge = newTooLargeResourceVersion(9, 5, 1);
    expect([
      suggestsClientDelay(tooLarge),
      suggestsClientDelay(newServerTimeout(pods, 'create', 0)),
      suggestsClientDelay(newTimeout('x', 0)),
      suggestsClientDelay(newBadRequest('x')),
      statusCause(tooLarge, 'ResourceVersionTooLarge')?.message,
    ]).toEqual([1, 0, undefined, undefined, 'Too large resource version']);
  });
});
