import { beforeEach, describe, expect, it } from 'vitest';
import { aggregatedRules } from '../aggregation/aggregated-rules.js';
import { rbacAuthorizer } from '../rbac-authorizer.js';
import { PolicyIndex } from '../resolution/policy-index.js';
import { testAttributes, testLogger, testUser } from '../testing/index.js';
import { bootstrapPolicy } from './bootstrap-policy.js';

let policy = bootstrapPolicy();
beforeEach(() => {
  policy = bootstrapPolicy();
});

function names(
  list: readonly { readonly metadata: { readonly name?: string; readonly namespace?: string } }[],
): string[] {
  return list.map(
    ({ metadata }) => `${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`,
  );
}

/** The policy's decision once aggregated roles are filled. */
async function decide(
  user: ReturnType<typeof testUser>,
  changes: Parameters<typeof testAttributes>[0],
): Promise<string> {
  const clusterRoles = new Map(policy.clusterRoles.map((role) => [role.metadata.name, role]));
  const fill = (name: string) => {
    const role = clusterRoles.get(name);
    return role && { ...role, rules: aggregatedRules(role, [...clusterRoles.values()]) ?? role.rules ?? [] };
  };
  for (const name of ['view', 'edit', 'admin']) {
    const filled = fill(name);
    if (filled !== undefined) clusterRoles.set(name, filled);
  }
  const index = new PolicyIndex({
    clusterRole: (name) => clusterRoles.get(name),
    role: (namespace, name) =>
      policy.roles.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  });
  for (const binding of policy.clusterRoleBindings) index.setClusterRoleBinding(binding);
  for (const binding of policy.roleBindings) index.setRoleBinding(binding);
  for (const role of ['view', 'edit', 'admin']) {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role };
    const subjects = [{ kind: 'User', name: role }];
    index.setRoleBinding({ apiVersion: '', kind: '', metadata: { name: role, namespace: 'ns' }, roleRef, subjects });
  }
  const { decision } = await rbacAuthorizer(index, testLogger()).authorize(testAttributes({ ...changes, user }));
  return decision;
}

describe('bootstrapPolicy', () => {
  it('has the same objects as upstream', () => {
    const isController = (name: string) => name.startsWith('system:controller:');
    const clusterRoles = names(policy.clusterRoles);
    expect(clusterRoles.filter((name) => !isController(name))).toMatchInlineSnapshot(`
      [
        "cluster-admin",
        "system:discovery",
        "system:monitoring",
        "system:basic-user",
        "system:public-info-viewer",
        "admin",
        "edit",
        "view",
        "system:aggregate-to-admin",
        "system:aggregate-to-edit",
        "system:aggregate-to-view",
        "system:heapster",
        "system:node",
        "system:node-problem-detector",
        "system:node-bootstrapper",
        "system:auth-delegator",
        "system:kube-aggregator",
        "system:kube-controller-manager",
        "system:kube-dns",
        "system:persistent-volume-provisioner",
        "system:certificates.k8s.io:certificatesigningrequests:nodeclient",
        "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient",
        "system:volume-scheduler",
        "system:certificates.k8s.io:legacy-unknown-approver",
        "system:certificates.k8s.io:kubelet-serving-approver",
        "system:certificates.k8s.io:kube-apiserver-client-approver",
        "system:certificates.k8s.io:kube-apiserver-client-kubelet-approver",
        "system:service-account-issuer-discovery",
        "system:kubelet-api-admin",
        "system:node-proxier",
        "system:kube-scheduler",
      ]
    `);
    expect(
      clusterRoles
        .filter(isController)
        .map((name) => name.slice('system:controller:'.length))
        .sort(),
    ).toMatchInlineSnapshot(`
      [
        "attachdetach-controller",
        "certificate-controller",
        "clusterrole-aggregation-controller",
        "cronjob-controller",
        "daemon-set-controller",
        "deployment-controller",
        "device-taint-eviction-controller",
        "disruption-controller",
        "endpoint-controller",
        "endpointslice-controller",
        "endpointslicemirroring-controller",
        "ephemeral-volume-controller",
        "expand-controller",
        "generic-garbage-collector",
        "horizontal-pod-autoscaler",
        "job-controller",
        "legacy-service-account-token-cleaner",
        "namespace-controller",
        "node-controller",
        "persistent-volume-binder",
        "pod-garbage-collector",
        "pv-protection-controller",
        "pvc-protection-controller",
        "replicaset-controller",
        "replication-controller",
        "resource-claim-controller",
        "resourcequota-controller",
        "root-ca-cert-publisher",
        "route-controller",
        "selinux-warning-controller",
        "service-account-controller",
        "service-cidrs-controller",
        "service-controller",
        "statefulset-controller",
        "ttl-after-finished-controller",
        "ttl-controller",
        "validatingadmissionpolicy-status-controller",
        "volumeattributesclass-protection-controller",
      ]
    `);
    expect(names(policy.clusterRoleBindings).filter((name) => !isController(name))).toMatchInlineSnapshot(`
      [
        "cluster-admin",
        "system:monitoring",
        "system:discovery",
        "system:basic-user",
        "system:public-info-viewer",
        "system:node-proxier",
        "system:kube-controller-manager",
        "system:kube-dns",
        "system:kube-scheduler",
        "system:volume-scheduler",
        "system:node",
        "system:service-account-issuer-discovery",
      ]
    `);
    expect([names(policy.roles), names(policy.roleBindings)]).toMatchInlineSnapshot(`
      [
        [
          "kube-system/extension-apiserver-authentication-reader",
          "kube-system/system:controller:bootstrap-signer",
          "kube-system/system:controller:cloud-provider",
          "kube-system/system:controller:token-cleaner",
          "kube-system/system::leader-locking-kube-controller-manager",
          "kube-system/system::leader-locking-kube-scheduler",
          "kube-public/system:controller:bootstrap-signer",
        ],
        [
          "kube-system/system::extension-apiserver-authentication-reader",
          "kube-system/system::leader-locking-kube-controller-manager",
          "kube-system/system::leader-locking-kube-scheduler",
          "kube-system/system:controller:bootstrap-signer",
          "kube-system/system:controller:cloud-provider",
          "kube-system/system:controller:token-cleaner",
          "kube-public/system:controller:bootstrap-signer",
        ],
      ]
    `);
  });

  it('labels every object and has no duplicate names', () => {
    const { clusterRoles, clusterRoleBindings, roles, roleBindings } = policy;
    for (const { metadata } of [...clusterRoles, ...clusterRoleBindings, ...roles, ...roleBindings]) {
      expect(metadata.labels?.['kubernetes.io/bootstrapping']).toBe('rbac-defaults');
      expect(metadata.annotations).toEqual({ 'rbac.authorization.kubernetes.io/autoupdate': 'true' });
    }
    for (const kind of [policy.clusterRoles, policy.clusterRoleBindings, policy.roles, policy.roleBindings]) {
      expect(new Set(names(kind)).size).toBe(kind.length);
    }
  });

  it('binds only roles that it has, and controllers to their service accounts', () => {
    const clusterRoles = new Set(names(policy.clusterRoles));
    const roles = new Set(names(policy.roles));
    for (const { roleRef, subjects = [], metadata } of policy.clusterRoleBindings) {
      expect([roleRef.name, clusterRoles.has(roleRef.name)]).toEqual([metadata.name, true]);
      const [, controller] = /^system:controller:(.+)$/.exec(roleRef.name) ?? [];
      if (controller === undefined) continue;
      expect(subjects).toEqual([{ kind: 'ServiceAccount', name: controller, namespace: 'kube-system' }]);
    }
    for (const { roleRef, metadata } of policy.roleBindings) {
      expect(roles.has(`${metadata.namespace}/${roleRef.name}`)).toBe(true);
    }
    const unbound = policy.clusterRoleBindings.filter(({ subjects }) => subjects === undefined);
    expect(names(unbound)).toEqual(['system:node']);
  });

  it('has a rule of its own for each page of a feature gate', () => {
    const monitoring = policy.clusterRoles.find(({ metadata }) => metadata.name === 'system:monitoring');
    expect(monitoring?.rules?.slice(1)).toEqual([
      { verbs: ['get'], apiGroups: [''], resources: ['nodes/metrics'] },
      { verbs: ['get'], nonResourceURLs: ['/flagz'] },
      { verbs: ['get'], nonResourceURLs: ['/statusz'] },
    ]);
  });

  it('binds the components of the control plane to their users', () => {
    const users = bootstrapPolicy().clusterRoleBindings.flatMap(({ metadata, subjects = [] }) =>
      subjects.filter(({ kind }) => kind === 'User').map(({ name }) => `${metadata.name} to ${name}`),
    );
    expect(users.sort()).toEqual([
      'system:kube-controller-manager to system:kube-controller-manager',
      'system:kube-scheduler to system:kube-scheduler',
      'system:node-proxier to system:kube-proxy',
      'system:volume-scheduler to system:kube-scheduler',
    ]);
  });

  it('has sorted lists without duplicates', () => {
    for (const role of [...policy.clusterRoles, ...policy.roles]) {
      for (const rule of role.rules ?? []) {
        for (const list of Object.values(rule)) {
          expect(list).toEqual([...new Set(list)].sort());
          if (list !== rule.apiGroups) expect(list).not.toContain('');
        }
        expect(Object.keys(rule)).toEqual(
          rule.nonResourceURLs === undefined
            ? ['verbs', 'apiGroups', 'resources', ...(rule.resourceNames === undefined ? [] : ['resourceNames'])]
            : ['verbs', 'nonResourceURLs'],
        );
      }
    }
  });

  const everybody = ['system:authenticated'];
  const nobody = testUser('system:anonymous', 'system:unauthenticated');
  const path = (value: string) => ({ isResourceRequest: false, namespace: '', resource: '', name: '', path: value });
  const account = (name: string) =>
    testUser(`system:serviceaccount:kube-system:${name}`, 'system:serviceaccounts', ...everybody);
  const at = (verb: string, resource: string, more: object = {}) => ({ verb, resource, ...more });
  it.each([
    [
      'masters',
      testUser('root', 'system:masters'),
      at('whatever', 'things', { apiGroup: 'x', subresource: 'y' }),
      true,
    ],
    ['anonymous', nobody, path('/version'), true],
    ['anonymous', nobody, path('/api'), false],
    ['anybody', testUser('bob', ...everybody), path('/apis/apps/v1'), true],
    ['anybody', testUser('bob', ...everybody), path('/metrics'), false],
    ['monitoring', testUser('m', 'system:monitoring'), path('/livez/etcd'), true],
    ['monitoring', testUser('m', 'system:monitoring'), path('/statusz'), true],
    ['view', testUser('view'), at('list', 'pods'), true],
    ['view', testUser('view'), at('get', 'secrets'), false],
    ['edit includes view', testUser('edit'), at('get', 'pods', { subresource: 'log' }), true],
    ['edit', testUser('edit'), at('create', 'deployments', { apiGroup: 'apps' }), true],
    ['edit', testUser('edit'), at('create', 'rolebindings', { apiGroup: 'rbac.authorization.k8s.io' }), false],
    ['admin includes edit', testUser('admin'), at('delete', 'secrets'), true],
    ['admin', testUser('admin'), at('create', 'rolebindings', { apiGroup: 'rbac.authorization.k8s.io' }), true],
    ['scheduler', testUser('system:kube-scheduler'), at('create', 'pods', { subresource: 'binding' }), true],
    ['scheduler', testUser('system:kube-scheduler'), at('create', 'pods'), false],
    [
      'controller manager',
      testUser('system:kube-controller-manager'),
      at('watch', 'crontabs', { apiGroup: 'x' }),
      true,
    ],
    ['kubelet without node authorizer', testUser('system:node:n', 'system:nodes'), at('get', 'secrets'), false],
    ['namespace controller', account('namespace-controller'), at('deletecollection', 'x', { apiGroup: 'y' }), true],
    ['replica sets', account('replicaset-controller'), at('create', 'pods'), true],
    [
      'another account of that name',
      testUser('system:serviceaccount:ns:replicaset-controller'),
      at('create', 'pods'),
      false,
    ],
    ['bootstrap signer', account('bootstrap-signer'), at('list', 'secrets', { namespace: 'kube-system' }), true],
    ['bootstrap signer', account('bootstrap-signer'), at('list', 'secrets', { namespace: 'ns' }), false],
  ] as const)('%s: %#', async (_name, user, changes, allowed) => {
    expect(await decide(user, changes)).toBe(allowed ? 'Allow' : 'NoOpinion');
  });
});
