import type { ClusterRole } from '@apiserver/api/rbac/v1';
import { newAlreadyExists, newConflict, newNotFound, newServiceUnavailable } from '@apiserver/apimachinery/errors';
import { describe, expect, it } from 'vitest';
import { MemoryLoopbackClient, testClusterRole } from '../testing/index.js';
import type { ReconcileOperation } from './compute-role.js';
import { policyClient } from './policy-client.js';
import { reconcile } from './reconcile.js';
import { retryOnConflict } from './retry-on-conflict.js';

const RESOURCE = { group: 'rbac.authorization.k8s.io', resource: 'clusterroles' };
const expected = testClusterRole('r', []);
const KEY = 'clusterroles /r';

interface Run {
  readonly operation: ReconcileOperation;
  readonly exists?: boolean;
  readonly isProtected?: boolean;
  /** Errors of each verb, call by call. */
  readonly failures?: Readonly<Record<string, Error[]>>;
}

/** The calls of one reconciliation, and its result or error. */
async function run({ operation, exists = false, isProtected = false, failures = {} }: Run): Promise<readonly string[]> {
  const client = new MemoryLoopbackClient();
  if (exists) client.objects.set(KEY, { ...expected, metadata: { name: 'r', uid: 'u', resourceVersion: '1' } });
  client.before = (call) => {
    const error = failures[call.split(' ')[0] ?? '']?.shift();
    if (error !== undefined) throw error;
  };
  const done = reconcile<ClusterRole, { operation: ReconcileOperation; object: ClusterRole; protected: boolean }>({
    client: policyClient<ClusterRole>(client, 'clusterroles'),
    expected,
    maxRetries: 2,
    compute: (existing) => ({ operation, object: existing ?? expected, protected: isProtected }),
    prepareCreate: async () => void client.calls.push('prepare'),
  });
  const outcome = await done.then(
    (result) => result.operation,
    ({ message }: Error) => message,
  );
  return [...client.calls.map((call) => call.replace(` ${KEY}`, '')), outcome];
}

const gone = () => newNotFound(RESOURCE, 'r');
const there = () => newAlreadyExists(RESOURCE, 'r');
const changed = () => newConflict(RESOURCE, 'r', 'changed');
const down = () => newServiceUnavailable('down');

describe('reconcile', () => {
  it.each<[string, Run, readonly string[]]>([
    ['a complete object', { operation: 'none', exists: true }, ['get', 'none']],
    ['a protected object', { operation: 'update', exists: true, isProtected: true }, ['get', 'update']],
    ['a missing object', { operation: 'create' }, ['get', 'prepare', 'create', 'create']],
    ['an incomplete object', { operation: 'update', exists: true }, ['get', 'update', 'update']],
    [
      'a binding of another role',
      { operation: 'recreate', exists: true },
      ['get', 'delete', 'prepare', 'create', 'recreate'],
    ],
    [
      'an object that goes away',
      { operation: 'update', exists: true, failures: { update: [gone()] } },
      ['get', 'update', 'get', 'update', 'update'],
    ],
    [
      'an object that another server makes',
      { operation: 'create', failures: { create: [there()] } },
      ['get', 'prepare', 'create', 'get', 'prepare', 'create', 'create'],
    ],
    [
      'an object that goes away before it is replaced',
      { operation: 'recreate', failures: { delete: [gone()] } },
      ['get', 'delete clusterroles /', 'prepare', 'create', 'recreate'],
    ],
    [
      'an object that was replaced',
      { operation: 'recreate', exists: true, failures: { delete: [changed()] } },
      ['get', 'delete', 'get', 'delete', 'prepare', 'create', 'recreate'],
    ],
    [
      'three changes by others',
      { operation: 'create', failures: { create: [there(), there(), there()] } },
      [...Array<string[]>(3).fill(['get', 'prepare', 'create']).flat(), 'exceeded maximum attempts'],
    ],
    [
      'two changes by others',
      { operation: 'create', failures: { create: [there(), there()] } },
      [...Array<string[]>(3).fill(['get', 'prepare', 'create']).flat(), 'create'],
    ],
    ['an unreadable object', { operation: 'create', failures: { get: [down()] } }, ['get', 'down']],
    [
      'a failed delete',
      { operation: 'recreate', exists: true, failures: { delete: [down()] } },
      ['get', 'delete', 'down'],
    ],
    [
      'a failed update',
      { operation: 'update', exists: true, failures: { update: [down()] } },
      ['get', 'update', 'down'],
    ],
    [
      'a conflicting update',
      { operation: 'update', exists: true, failures: { update: [changed()] } },
      ['get', 'update', changed().message],
    ],
  ])('%s', async (_what, options, outcome) => {
    expect(await run(options)).toEqual(outcome);
  });
});

it.each<[string | undefined, object]>([
  ['u', { preconditions: { uid: 'u' } }],
  [undefined, {}],
])('deletes only the object that it compared: %s', async (uid, options) => {
  const deleted: unknown[] = [];
  const existing = { ...expected, metadata: { name: 'r', ...(uid !== undefined && { uid }) } };
  const object = { operation: 'recreate' as const, object: expected, protected: false };
  await reconcile({
    expected,
    maxRetries: 0,
    lastSeen: { object: existing },
    compute: () => object,
    client: {
      get: () => Promise.reject(gone()),
      create: async () => expected,
      update: async () => expected,
      delete: async (...args) => void deleted.push(args),
    },
  });
  expect(deleted).toEqual([['', 'r', options]]);
});

describe('retryOnConflict', () => {
  const clock = (pauses: number[]) => ({
    now: () => 0,
    schedule: (callback: () => void, pause: number) => {
      pauses.push(pause);
      queueMicrotask(callback);
      return () => {};
    },
  });
  const retried = async (errors: Error[], signal = new AbortController().signal) => {
    const pauses: number[] = [];
    const call = async () => {
      const error = errors.shift();
      if (error !== undefined) throw error;
      return 'done';
    };
    const outcome = await retryOnConflict(clock(pauses), signal, call).catch(({ message }: Error) => message);
    return [outcome, pauses];
  };

  it.each<[string, Error[], string, number[]]>([
    ['success', [], 'done', []],
    ['another error', [down()], 'down', []],
    ['a conflict', [changed()], 'done', [10]],
    ['three conflicts', [changed(), changed(), changed()], 'done', [10, 50, 250]],
    ['four conflicts', [changed(), changed(), changed(), changed()], changed().message, [10, 50, 250]],
    ['a conflict, then another error', [changed(), down()], 'down', [10]],
  ])('%s', async (_what, errors, outcome, pauses) => {
    expect(await retried(errors)).toEqual([outcome, pauses]);
  });

  it('gives up at once when the server stops', async () => {
    expect(await retried([changed()], AbortSignal.abort())).toEqual([changed().message, []]);
  });
});
