import { describe, expect, test } from 'vitest';
import { interpretError } from './interpret-error.js';
import { KeyValueError } from './key-value-error.js';

const GROUP_RESOURCE = { group: '', resource: 'configmaps' };

describe('interpretError', () => {
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
});
