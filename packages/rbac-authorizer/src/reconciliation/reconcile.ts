import { isAlreadyExists, isConflict, isNotFound, unlessNotFound } from '@apiserver/apimachinery/errors';
import type { ReconcileOperation } from './compute-role.js';
import type { PolicyClient, PolicyObject } from './policy-client.js';

/** The result of every comparison. */
export interface Reconciliation<O> {
  readonly operation: ReconcileOperation;
  /** The object to write. */
  readonly object: O;
  readonly protected: boolean;
}

/** One object to reconcile. */
export interface ReconcileOptions<O extends PolicyObject, R extends Reconciliation<O>> {
  readonly client: Omit<PolicyClient<O>, 'list'>;
  readonly expected: O;
  /** The last known state, which may be absent: the first attempt then reads nothing. */
  readonly lastSeen?: { readonly object: O | undefined };
  readonly compute: (existing: O | undefined) => R;
  /** Number of concurrent creates or deletes of the object before this gives up. */
  readonly maxRetries: number;
  /** Called before an object is created. */
  readonly prepareCreate?: () => Promise<void>;
}

/**
 * Compares an object and writes its missing parts; skips a protected object. Returns the comparison. Throws the
 * StatusError of a failed read or write. The caller retries after a conflict.
 * Upstream: ReconcileRoleOptions.Run and ReconcileRoleBindingOptions.Run in
 * k8s.io/component-helpers/auth/rbac/reconciliation
 */
export async function reconcile<O extends PolicyObject, R extends Reconciliation<O>>(
  options: ReconcileOptions<O, R>,
): Promise<R> {
  let { lastSeen } = options;
  for (let retries = 0; retries <= options.maxRetries; retries++) {
    const existing = lastSeen === undefined ? await read(options) : lastSeen.object;
    lastSeen = undefined;
    const result = options.compute(existing);
    if (result.protected || (await write(options, existing, result))) return result;
  }
  throw new Error('exceeded maximum attempts');
}

type Target<O extends PolicyObject> = Pick<ReconcileOptions<O, never>, 'client' | 'expected' | 'prepareCreate'>;

function read<O extends PolicyObject>({ client, expected }: Target<O>): Promise<O | undefined> {
  const { namespace = '', name = '' } = expected.metadata;
  return unlessNotFound(client.get(namespace, name));
}

/** False if the object was created or deleted concurrently. */
async function write<O extends PolicyObject>(
  target: Target<O>,
  existing: O | undefined,
  { operation, object }: Reconciliation<O>,
): Promise<boolean> {
  switch (operation) {
    case 'none':
      return true;
    case 'update':
      return unless(isNotFound, target.client.update(object));
    case 'recreate':
      return (await remove(target, existing)) && create(target, object);
    case 'create':
      return create(target, object);
  }
}

async function create<O extends PolicyObject>(target: Target<O>, object: O): Promise<boolean> {
  await target.prepareCreate?.();
  return unless(isAlreadyExists, target.client.create(object));
}

/** Deletes by UID, so that only the compared object is deleted. A missing object is no error. */
async function remove<O extends PolicyObject>({ client }: Target<O>, existing: O | undefined): Promise<boolean> {
  const { namespace = '', name = '', uid } = existing?.metadata ?? {};
  const options = uid === undefined ? {} : { preconditions: { uid } };
  const removed = client.delete(namespace, name, options).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  return unless(isConflict, removed);
}

async function unless(expected: (error: unknown) => boolean, done: Promise<unknown>): Promise<boolean> {
  try {
    await done;
    return true;
  } catch (error) {
    if (expected(error)) return false;
    throw error;
  }
}
