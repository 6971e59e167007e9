import { newNotFound, type StatusError } from '@apiserver/apimachinery/errors';
import type { StorageErrorCode } from '@apiserver/apiserver-contracts';
import { describe, expect, test } from 'vitest';
import { toKeyValueError } from './etcd3/etcd-errors.js';
import { GrpcError } from './grpc/grpc-error.js';
import { interpretError, type StorageOperation, storageErrorOf } from './interpret-error.js';
import { compactedError, futureRevisionError, isKeyValueError, KeyValueError } from './key-value-error.js';
import { commitFailure } from './lmdb/lmdb-errors.js';
import {
  isKeyExists,
  isKeyNotFound,
  isStorageError,
  isUnreadable,
  newCorruptObjectError,
  newExpiredError,
  newInvalidPreconditionsError,
  newKeyExistsError,
  newKeyNotFoundError,
  newReportedCorruptObjectError,
  newTooLargeResourceVersionError,
  newTransformError,
  StorageError,
  withAllDigits,
} from './storage-error.js';

const GROUP_RESOURCE = { group: '', resource: 'configmaps' };

describe('interpretError', () => {
  test.each([
    ['NoSpace', 'NoSpace'],
    ['TooLarge', 'TooLarge'],
    ['Corrupt', 'Corrupt'],
    ['Closed', 'Unavailable'],
  ] as const)('keeps the failure of the store as the cause: %s is %s', (code, storageErrorCode) => {
    const cause = new KeyValueError(code, 'why');
    expect(storageErrorOf(cause, 'k')).toMatchObject({
      storageErrorCode,
      key: 'k',
      details: { message: 'why', cause },
    });
  });

  test('reports damage that the store has found, without a key', () => {
    const message =
      'Internal error occurred: StorageError: corrupt object, Code: 7, Key: , ResourceVersion: 0, AdditionalErrorMsg: damaged';
    expect(interpretError(new KeyValueError('Corrupt', 'damaged'), GROUP_RESOURCE, 'a')).toMatchObject({
      status: { code: 500, reason: 'InternalError', message },
    });
  });

  test('has details of an error only as far as there are any', () => {
    expect(newExpiredError('/k', 'too old').details).toStrictEqual({ message: 'too old' });
    expect(newExpiredError('/k', 'too old', 'next').details).toStrictEqual({
      message: 'too old',
      continueToken: 'next',
    });
    expect(newKeyNotFoundError('/k', 7).details).toStrictEqual({ resourceVersion: 7 });
  });

  test('reports an oversized object with etcd’s message, and keeps its cause for the writer', () => {
    const error = new KeyValueError('TooLarge', 'etcdserver: request is too large');
    const status = { code: 500, message: 'etcdserver: request is too large', status: 'Failure' };
    const reported = interpretError(error, GROUP_RESOURCE, 'a', 'update');
    expect(String(error)).toBe('KeyValueError: etcdserver: request is too large');
    expect(reported).toMatchObject({ status, cause: { storageErrorCode: 'TooLarge' } });
    expect(reported).not.toHaveProperty('status.reason');
  });

  test.each([
    ['etcdserver: mvcc: database space exceeded', { code: 500, message: 'etcdserver: mvcc: database space exceeded' }],
    [
      'database space exceeded: no space left on the disk of the store',
      {
        code: 500,
        reason: 'InternalError',
        message: 'Internal error occurred: database space exceeded: no space left on the disk of the store',
      },
    ],
  ])('responds to a full disk: %s', (message, status) => {
    const reported = interpretError(new KeyValueError('NoSpace', message), GROUP_RESOURCE, 'a', 'create');
    expect(reported).toMatchObject({ status });
    expect(Object.hasOwn((reported as { status: object }).status, 'reason')).toBe('reason' in status);
  });

  test.each<[number, GrpcError['outcome'], string, string]>([
    [14, 'refused', 'etcdserver: no leader', 'etcdserver: no leader'],
    [14, 'refused', 'etcdserver: request timed out', 'etcdserver: request timed out'],
    [8, 'refused', 'etcdserver: too many requests', 'etcdserver: too many requests'],
    [4, 'unknown', 'context deadline exceeded', 'context deadline exceeded'],
    [14, 'unknown', 'read ECONNRESET', 'rpc error: code = Unavailable desc = read ECONNRESET'],
  ])('responds with the text of etcd, and asks for no retry: %i %s %s', (code, outcome, text, message) => {
    const refused = toKeyValueError(new GrpcError(code, text, outcome));
    const { status } = interpretError(refused, GROUP_RESOURCE, 'a', 'create') as StatusError;
    expect(status).toEqual({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
  });

  test('asks for no retry after a failed commit of an embedded store, which may be on the disk', async () => {
    const failed = await commitFailure(new Error('EIO'), { unchanged: true, path: '/d' });
    const message = 'the commit failed: EIO';
    for (const operation of ['create', 'get'] as const) {
      const { status } = interpretError(failed, GROUP_RESOURCE, 'a', operation) as StatusError;
      expect(status).toEqual({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
    }
  });

  const cause = new Error('because');
  const storageError = (code: StorageErrorCode, details = {}) =>
    new StorageError(code, '/registry/configmaps/a', details);

  test.each<[StorageError, StorageOperation | undefined, object]>([
    [newKeyNotFoundError('/k', 7), 'get', { code: 404, reason: 'NotFound', message: 'configmaps "a" not found' }],
    [newKeyNotFoundError('/k', 7), 'list', { code: 404, reason: 'NotFound', message: 'configmaps "" not found' }],
    [newKeyExistsError('/k', 7), 'create', { reason: 'AlreadyExists', message: 'configmaps "a" already exists' }],
    ...(['update', 'delete'] as const).map((operation): [StorageError, StorageOperation, object] => [
      newKeyExistsError('/k', 7),
      operation,
      {
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on configmaps "a": StorageError: key exists, Code: 2, Key: /k, ' +
          'ResourceVersion: 7, AdditionalErrorMsg: <nil>',
      },
    ]),
    ...(
      [
        ['ResourceVersionConflicts', 'resource version conflicts, Code: 3'],
        ['InvalidPreconditions', 'invalid object, Code: 4'],
        ['InvalidObject', 'invalid object, Code: 4'],
      ] as const
    ).map(([code, text]): [StorageError, undefined, object] => [
      storageError(code, { message: 'why' }),
      undefined,
      {
        reason: 'Conflict',
        message:
          `Operation cannot be fulfilled on configmaps "a": StorageError: ${text}, Key: /registry/configmaps/a, ` +
          'ResourceVersion: 0, AdditionalErrorMsg: why',
      },
    ]),
    [newExpiredError('/k', 'too old'), 'list', { code: 410, reason: 'Expired', message: 'too old', metadata: {} }],
    [newExpiredError('/k', 'too old', 'next'), 'list', { reason: 'Expired', metadata: { continue: 'next' } }],
    ...(['Unavailable', 'Timeout'] as const).map((code): [StorageError, StorageOperation | undefined, object] => [
      storageError(code),
      code === 'Timeout' ? 'watch' : undefined,
      {
        code: 500,
        reason: 'ServerTimeout',
        details: { kind: 'configmaps', retryAfterSeconds: 2 },
        message: `The ${code === 'Timeout' ? 'watch' : 'get'} operation against configmaps could not be completed at this time, please try again.`,
      },
    ]),
    [
      newTooLargeResourceVersionError('/k', { minimum: 9, current: 7, retryAfterSeconds: 1 }),
      'list',
      { code: 504, reason: 'Timeout', message: 'Timeout: Too large resource version: 9, current: 7' },
    ],
    [
      newTransformError('/k', 'no key', cause),
      'get',
      { code: 500, reason: 'InternalError', message: 'Internal error occurred: no key' },
    ],
    [newCorruptObjectError('/k', cause), 'get', { code: 500, message: 'because' }],
    [
      newReportedCorruptObjectError('/k', 'damaged', cause),
      'get',
      {
        reason: 'InternalError',
        message:
          'Internal error occurred: StorageError: corrupt object, Code: 7, Key: /k, ResourceVersion: 0, ' +
          'AdditionalErrorMsg: damaged',
      },
    ],
  ])('%s (%s)', (error, operation, status) => {
    expect(interpretError(error, GROUP_RESOURCE, 'a', operation)).toMatchObject({ status });
  });

  test('passes what is no failure of storage, and what is one for the client already', () => {
    for (const error of [cause, 'text', undefined, newNotFound(GROUP_RESOURCE, 'b')]) {
      expect(interpretError(error, GROUP_RESOURCE, 'a')).toBe(error);
    }
  });

  test.each([
    ['NoSpace', 'NoSpace'],
    ['TooLarge', 'TooLarge'],
    ['Corrupt', 'Corrupt'],
    ['Unavailable', 'Unavailable'],
    ['Closed', 'Unavailable'],
    ['InUse', 'Unavailable'],
  ] as const)('%s of the underlying store is %s of a key', (code, storageErrorCode) => {
    const error = new KeyValueError(code, 'why', { cause });
    expect([error.cause, error.revision]).toEqual([cause, 0]);
    expect(storageErrorOf(error, '/k')).toMatchObject({
      storageErrorCode,
      key: '/k',
      details: { message: 'why' },
      cause: error,
    });
    expect(interpretError(error, GROUP_RESOURCE, 'a')).not.toBe(error);
  });
});

describe('a StorageError', () => {
  const tooLarge = (minimum: number | bigint) =>
    newTooLargeResourceVersionError('/k', { minimum, current: 7, retryAfterSeconds: 1 });

  test.each<[StorageError, boolean[]]>([
    [newKeyNotFoundError('/k'), [true, false, false]],
    [newKeyExistsError('/k'), [false, true, false]],
    [newInvalidPreconditionsError('/k', 'why'), [false, false, false]],
    [newTransformError('/k', 'why', undefined), [false, false, true]],
    [newReportedCorruptObjectError('/k', 'why', undefined), [false, false, true]],
  ])('is recognised: %s', (error, expected) => {
    expect([isKeyNotFound(error), isKeyExists(error), isUnreadable(error)]).toEqual(expected);
    expect([isStorageError(error), isKeyValueError(error), error.name]).toEqual([true, false, 'StorageError']);
  });

  test.each([new Error('no'), { storageErrorCode: 'KeyNotFound', keyValueErrorCode: 'Corrupt' }])(
    'is not any other value: %s',
    (value) => {
      expect([isStorageError(value), isKeyNotFound(value), isKeyExists(value), isUnreadable(value)]).toEqual([
        false,
        false,
        false,
        false,
      ]);
      expect(isKeyValueError(value)).toBe(false);
    },
  );

  test('has a cause only if it is given one', () => {
    expect(Object.hasOwn(newKeyNotFoundError('/k'), 'cause')).toBe(false);
    expect(Object.hasOwn(new KeyValueError('Closed', 'why'), 'cause')).toBe(false);
    expect(newTransformError('/k', 'why', 'because').cause).toBe('because');
  });

  test('keeps the message of damage for servers that report it', () => {
    expect(newCorruptObjectError('/k', new KeyValueError('Corrupt', 'why')).details.plain).toBeUndefined();
    expect(newCorruptObjectError('/k', new Error('why')).details).toMatchObject({ plain: true, message: 'why' });
  });

  test('about a version that is too large has all of its digits', () => {
    const digits = '9007199254740993';
    const error = tooLarge(Number(digits));
    const minimumOf = (given: unknown) => (given as StorageError).details.tooLarge?.minimum;
    expect(minimumOf(withAllDigits(error, digits))).toBe(BigInt(digits));
    expect((withAllDigits(error, digits) as StorageError).details.tooLarge).toMatchObject({ current: 7 });
    expect(withAllDigits(error, '8')).toBe(error);
    expect(withAllDigits(error, undefined)).toBe(error);
    for (const other of [new Error('no'), newKeyNotFoundError('/k')]) expect(withAllDigits(other, digits)).toBe(other);
  });
});

test.each([
  [compactedError(5), 'Compacted', 'required revision has been compacted (5)'],
  [futureRevisionError(5), 'FutureRevision', 'required revision is a future revision (newest: 5)'],
])('%s has its revision', (error, keyValueErrorCode, message) => {
  expect(error).toMatchObject({ keyValueErrorCode, message, revision: 5 });
});
