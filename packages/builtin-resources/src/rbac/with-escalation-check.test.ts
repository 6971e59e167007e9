import type { Role } from '@apiserver/api/rbac/v1';
import type { GenericStore, UpdateRequest } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { roles } from './role/index.js';
import type { EscalationCheck } from './with-escalation-check.js';

function role(name: string): Role {
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name }, rules: [] };
}

/** A Store that only computes the object to store. */
const generic = {
  create: async (_context: unknown, object: Role) => object,
  update: async (context: unknown, { objectInfo }: UpdateRequest<Role>) => ({
    object: await objectInfo.updatedObject(context as never, role('old')),
    preconditions: objectInfo.preconditions,
  }),
} as unknown as GenericStore<Role>;

function guarded(check: EscalationCheck<Role>) {
  return roles(check).storeHooks?.override?.(generic);
}

const request = (objectInfo: UpdateRequest<Role>['objectInfo']): UpdateRequest<Role> => ({
  name: 'a',
  objectInfo,
  validateCreate: async () => {},
  validateUpdate: async () => {},
  forceAllowCreate: false,
  options: {},
});

it('is called with the new and the stored object', async () => {
  const requested: unknown[] = [];
  const store = guarded(async (_context, object, old) => {
    requested.push([object.metadata.name, old?.metadata.name]);
  });
  const created = await store?.create?.(testContext(), role('made'), async () => {}, {});
  const preconditions = { uid: 'u' };
  const updated = await store?.update?.(testContext(), request({ preconditions, updatedObject: () => role('new') }));
  expect(requested).toEqual([
    ['made', undefined],
    ['new', 'old'],
  ]);
  expect([created, updated]).toEqual([role('made'), { object: role('new'), preconditions }]);
});

it('stores nothing if it refuses', async () => {
  const store = guarded(() => Promise.reject(new Error('too much')));
  await expect(store?.create?.(testContext(), role('a'), async () => {}, {})).rejects.toThrow('too much');
  const update = store?.update?.(testContext(), request({ updatedObject: () => role('a') }));
  await expect(update).rejects.toThrow('too much');
});
