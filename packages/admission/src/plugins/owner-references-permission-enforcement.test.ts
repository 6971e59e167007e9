import type { OwnerReference } from '@apiserver/apimachinery';
import type { AuthorizationAttributes } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { testPluginDependencies } from '../testing/plugin-dependencies.js';
import { runPlugin } from '../testing/run-plugin.js';
import { pod } from '../testing/sample-objects.js';
import { ownerReferencesPermissionEnforcement } from './owner-references-permission-enforcement.js';

const user = { name: 'jane', groups: [], extra: {} };
const owner = (uid: string, blockOwnerDeletion?: boolean, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  name: 'r',
  uid,
  ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
  ...more,
});
const owned = (...ownerReferences: OwnerReference[]) => pod({}, { ownerReferences });
const access = ({ verb, namespace, apiGroup, apiVersion, resource, subresource, name }: AuthorizationAttributes) =>
  `${verb} ${apiGroup}/${apiVersion} ${resource}/${subresource} ${namespace}/${name}`;

const DELETE = 'delete /v1 pods/ ns/p';
const ALL = 'update */* */finalizers /*';
const OF_OWNER = 'update apps/v1 replicasets/finalizers ns/r';
const noDelete = "cannot set an ownerRef on a resource you can't delete: , <nil>";
const noFinalizers =
  "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>";
const unmapped = (apiVersion: string, kind: string, reason: string) =>
  `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: ${reason}`;

interface Change {
  /** Undefined for a create. */
  readonly from?: readonly OwnerReference[];
  readonly to: readonly OwnerReference[];
  readonly may?: readonly string[];
}

/** The refusal of a change of owners, and the permissions that it required. */
async function change({ from, to, may = [] }: Change) {
  const required: string[] = [];
  const dependencies = testPluginDependencies(
    {},
    {
      allows(attributes) {
        required.push(access(attributes));
        return may.includes(access(attributes));
      },
      resourcesOf: async ({ group, version, kind }) => {
        if (kind === 'Node') return [{ resource: { group, version, resource: 'nodes' }, namespaced: false }];
        if (kind !== 'ReplicaSet' || group !== 'apps') return [];
        return [{ resource: { group, version, resource: 'replicasets' }, namespaced: true }];
      },
    },
  );
  const attributes = objectAttributes('pods', owned(...to), { user, ...(from && { oldObject: owned(...from) }) });
  const outcome = await runPlugin(ownerReferencesPermissionEnforcement(dependencies), attributes);
  return { refused: 'refused' in outcome ? outcome.refused.replace('pods "p" is forbidden: ', '') : '', required };
}

describe('OwnerReferencesPermissionEnforcement', () => {
  it.each<[string, Change, string, readonly string[]]>([
    ['a create without owners', { to: [] }, '', []],
    ['a create with an owner', { to: [owner('1')] }, '', []],
    ['a create with a blocking owner', { to: [owner('1', true)] }, noFinalizers, [ALL, OF_OWNER]],
    ['the same, with the permission', { to: [owner('1', true)], may: [OF_OWNER] }, '', [ALL, OF_OWNER]],
    ['the same, with all permissions', { to: [owner('1', true)], may: [ALL] }, '', [ALL]],
    ['no change', { from: [owner('1', true)], to: [owner('1', true)] }, '', []],
    ['a new owner', { from: [], to: [owner('1')] }, noDelete, [DELETE]],
    ['a new owner, with the permission', { from: [], to: [owner('1')], may: [DELETE] }, '', [DELETE]],
    ['no owner any more', { from: [owner('1')], to: [] }, noDelete, [DELETE]],
    ['another owner', { from: [owner('1')], to: [owner('2')] }, noDelete, [DELETE]],
    [
      'an owner that blocks now',
      { from: [owner('1', false)], to: [owner('1', true)], may: [DELETE] },
      noFinalizers,
      [DELETE, ALL, OF_OWNER],
    ],
    [
      'an owner that blocks beside a blocking one',
      { from: [owner('1', true)], to: [owner('1', true), owner('2')], may: [DELETE] },
      '',
      [DELETE],
    ],
    [
      'a cluster-wide owner',
      { to: [owner('1', true, { apiVersion: 'v1', kind: 'Node', name: 'n' })] },
      noFinalizers,
      [ALL, 'update /v1 nodes/finalizers /n'],
    ],
    [
      'an owner of an unknown kind',
      { to: [owner('1', true, { apiVersion: 'x.io/v1', kind: 'X' })] },
      unmapped('x.io/v1', 'X', 'no matches for kind "X" in version "x.io/v1"'),
      [ALL],
    ],
    [
      'an owner of no group version',
      { to: [owner('1', true, { apiVersion: 'a/b/c' })] },
      unmapped('a/b/c', 'ReplicaSet', 'unexpected GroupVersion string: a/b/c'),
      [ALL],
    ],
    [
      'a second owner without the permission',
      { to: [owner('1', true), owner('2', true, { name: 's' })], may: [OF_OWNER] },
      noFinalizers,
      [ALL, OF_OWNER, 'update apps/v1 replicasets/finalizers ns/s'],
    ],
  ])('%s', async (_, request, refused, required) => {
    expect(await change(request)).toEqual({ refused, required });
  });

  it('prints the reason and the error of the authorizer', async () => {
    const dependencies = testPluginDependencies();
    const authorizer = {
      authorize: () => ({ decision: 'NoOpinion', reason: 'RBAC: no role', error: new Error('no role') }) as const,
    };
    const attributes = objectAttributes('pods', owned(owner('1')), { user, oldObject: owned() });
    expect(await runPlugin(ownerReferencesPermissionEnforcement({ ...dependencies, authorizer }), attributes)).toEqual({
      refused: 'pods "p" is forbidden: cannot set an ownerRef on a resource you can\'t delete: RBAC: no role, no role',
    });
  });

  it('refuses a request without a user', async () => {
    const attributes = objectAttributes('pods', owned(owner('1')), { oldObject: owned() });
    const plugin = ownerReferencesPermissionEnforcement(testPluginDependencies({}, { allows: () => true }));
    expect(await runPlugin(plugin, attributes)).toEqual({ refused: `pods "p" is forbidden: ${noDelete}` });
  });

  it('handles creates and updates of all but the status of pods', () => {
    const { handles } = ownerReferencesPermissionEnforcement(testPluginDependencies());
    const scope = (resource: string) => objectAttributes(resource, pod()).scope;
    expect([
      handles('CREATE', scope('pods')),
      handles('UPDATE', scope('widgets.example.com/status')),
      handles('UPDATE', scope('pods/status')),
      handles('DELETE', scope('pods')),
      handles('CONNECT', scope('pods/exec')),
    ]).toEqual([true, true, false, false, false]);
  });
});
