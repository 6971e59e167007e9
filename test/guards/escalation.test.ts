import { beforeAll, describe, expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { binding, core, paths, type Rule, role } from './objects.ts';

const server = assembledServer();
const jane = { name: 'jane' };
const CAN_READ: Rule = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };
const EVERYTHING: Rule = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
const ROLES = paths.inGroup('rbac.authorization.k8s.io', 'default', 'roles');
const BINDINGS = paths.inGroup('rbac.authorization.k8s.io', 'default', 'rolebindings');
const toJane = { kind: 'User', name: 'jane' } as const;

/** Jane may write all roles and bindings, and read ConfigMaps. */
beforeAll(async () => {
  const policy: Rule = {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'],
    verbs: ['create', 'update', 'patch', 'get'],
  };
  await server.make(paths.clusterRoles, role('ClusterRole', 'policy-writer', policy, CAN_READ));
  await server.make(paths.clusterRoleBindings, binding('ClusterRoleBinding', 'policy-writer', 'policy-writer', toJane));
  await server.make(paths.clusterRoles, role('ClusterRole', 'reader', CAN_READ));
  await server.until(404, () => server.ask('GET', paths.in('default', 'configmaps/none'), undefined, jane));
});

describe('a user who may write policy', () => {
  it.each<[string, string, (name: string, wanted: boolean) => object]>([
    ['ClusterRole', paths.clusterRoles, (name, wanted) => role('ClusterRole', name, wanted ? CAN_READ : EVERYTHING)],
    ['Role', ROLES, (name, wanted) => role('Role', name, wanted ? CAN_READ : EVERYTHING)],
    [
      'ClusterRoleBinding',
      paths.clusterRoleBindings,
      (name, wanted) => binding('ClusterRoleBinding', name, wanted ? 'reader' : 'cluster-admin', toJane),
    ],
    [
      'RoleBinding',
      BINDINGS,
      (name, wanted) => binding('RoleBinding', name, wanted ? 'reader' : 'cluster-admin', toJane),
    ],
  ])('grants by a %s only what he has', async (_kind, path, make) => {
    const refused = await server.ask('POST', path, make('escalating', false), jane);
    expect([refused.code, refused.body.message]).toEqual([
      403,
      expect.stringContaining('is attempting to grant RBAC permissions not currently held'),
    ]);
    expect((await server.ask('POST', path, make('held', true), jane)).code).toBe(201);
  });

  it('grants by a RoleBinding only what the Role in its namespace has', async () => {
    await server.make(ROLES, role('Role', 'all', EVERYTHING));
    await server.make(ROLES, role('Role', 'some', CAN_READ));
    const bind = (name: string) => {
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
      return server.ask('POST', BINDINGS, { ...binding('RoleBinding', `to-${name}`, name, toJane), roleRef }, jane);
    };
    expect((await bind('all')).code).toBe(403);
    expect((await bind('some')).code).toBe(201);
    const missing = await bind('none');
    expect([missing.code, missing.body.message, missing.body.details]).toEqual([
      404,
      'rolebindings.rbac.authorization.k8s.io "none" not found',
      { name: 'none', group: 'rbac.authorization.k8s.io', kind: 'rolebindings' },
    ]);
  });

  it.each([
    ['RoleBinding', BINDINGS, 'rolebindings'],
    ['ClusterRoleBinding', paths.clusterRoleBindings, 'clusterrolebindings'],
  ] as const)('reports a missing ClusterRole by the resource of a %s', async (kind, path, resource) => {
    const refused = await server.ask('POST', path, binding(kind, 'dangling', 'none', toJane), jane);
    expect([refused.code, refused.body.message]).toEqual([
      404,
      `${resource}.rbac.authorization.k8s.io "none" not found`,
    ]);
  });

  it('reports a missing ClusterRole of the user by the resource of the request', async () => {
    const subject = { kind: 'Group', name: 'dangling' } as const;
    await server.make(paths.clusterRoleBindings, binding('ClusterRoleBinding', 'to-none', 'none', subject));
    const dangling = { name: 'jane', groups: ['system:authenticated', subject.name] };
    const refused = await server.ask('POST', ROLES, role('Role', 'wide', EVERYTHING), dangling);
    expect([refused.code, refused.body.message]).toEqual([
      403,
      expect.stringMatching(/; resolution errors: \[roles\.rbac\.authorization\.k8s\.io "none" not found\]$/),
    ]);
  });

  it('adds only its own rights to a role', async () => {
    await server.make(ROLES, role('Role', 'growing', CAN_READ));
    const change = (rules: readonly Rule[]) => server.ask('PATCH', `${ROLES}/growing`, { rules }, jane);
    expect((await change([EVERYTHING])).code).toBe(403);
    expect((await change([CAN_READ, CAN_READ])).code).toBe(200);
  });

  it.each<[string, Rule, string, object]>([
    [
      'escalate',
      { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['escalate', 'create'] },
      paths.clusterRoles,
      role('ClusterRole', 'escalated', EVERYTHING),
    ],
    [
      'bind',
      {
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['clusterroles'],
        verbs: ['bind'],
        resourceNames: ['cluster-admin'],
      },
      paths.clusterRoleBindings,
      binding('ClusterRoleBinding', 'bound', 'cluster-admin', toJane),
    ],
  ])('grants what he has not with the verb %s', async (verb, rule, path, sent) => {
    const subject = { kind: 'Group', name: `may-${verb}` } as const;
    await server.make(paths.clusterRoles, role('ClusterRole', subject.name, rule));
    await server.make(paths.clusterRoleBindings, binding('ClusterRoleBinding', subject.name, subject.name, subject));
    const trusted = { name: 'jane', groups: ['system:authenticated', subject.name] };
    await server.until(201, () => server.ask('POST', path, sent, trusted));
  });
});

it('a user without a binding neither reads nor writes', async () => {
  const john = { name: 'john' };
  const responses = await Promise.all([
    server.ask('GET', paths.in('default', 'secrets'), undefined, john),
    server.ask('POST', paths.in('default', 'configmaps'), core('ConfigMap', 'c'), john),
    server.askWith({}, 'GET', paths.in('default', 'secrets')),
    server.askWith({ authorization: 'Bearer nobody-s' }, 'GET', '/version'),
    server.askWith({}, 'GET', '/version'),
  ]);
  expect(responses.map(({ code }) => code)).toEqual([403, 403, 403, 401, 200]);
});

it('a user without the right to impersonate cannot impersonate', async () => {
  await server.make(paths.in('default', 'serviceaccounts'), core('ServiceAccount', 'robot'));
  const { status } = await server.make(paths.in('default', 'serviceaccounts/robot/token'), {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {},
  });
  const authorization = `Bearer ${status.token}`;
  const response = await server.askWith(
    { authorization, 'impersonate-user': 'admin', 'impersonate-group': ['system:masters'] },
    'GET',
    paths.in('default', 'secrets'),
  );
  expect([response.code, response.body.message]).toEqual([403, expect.stringContaining('cannot impersonate')]);
});
