import { isStatusError } from '@apiserver/apimachinery/errors';
import type { AuthorizationAttributes, RequestInfo, UserInfo, VerbContext } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { listedRuleResolver } from '../resolution/listed-rule-resolver.js';
import {
  testClusterRole,
  testClusterRoleBinding,
  testLogger,
  testPathRule,
  testRole,
  testRoleBinding,
  testRule,
  testUser,
} from '../testing/index.js';
import { escalationGuard } from './escalation-guard.js';

const bob = testUser('bob', 'devs');
const roles = [
  testClusterRole('reader', [testRule('get list', [''], 'pods')]),
  testClusterRole('root', [testRule('*', ['*'], '*'), testPathRule('*', '*')]),
];

interface Setup {
  readonly user?: UserInfo | undefined;
  readonly resource?: string;
  readonly namespace?: string;
  /** Permissions of bob to bind or escalate, as `verb resource name namespace`. */
  readonly allowed?: string;
  readonly dangling?: boolean;
}

function setUp({ user = bob, resource = 'roles', namespace = 'ns', allowed = '', dangling = false }: Setup = {}) {
  const requested: AuthorizationAttributes[] = [];
  const guard = escalationGuard({
    resolverFor: ({ requestInfo: asked }) =>
      listedRuleResolver({
        role: () => Promise.reject(new Error('no roles here')),
        clusterRole: (name) => {
          const role = roles.find(({ metadata }) => metadata.name === name);
          if (role === undefined) throw new Error(`${asked?.resource} "${name}" not found`);
          return role;
        },
        roleBindings: () => [testRoleBinding('ns/b', 'ClusterRole reader', 'User bob')],
        clusterRoleBindings: () => [
          testClusterRoleBinding('root', 'root', 'User admin'),
          ...(dangling ? [testClusterRoleBinding('x', 'gone', 'User bob')] : []),
        ],
      }),
    logger: testLogger(),
    authorizer: {
      authorize: (attributes) => {
        requested.push(attributes);
        const { verb, resource: what, name, namespace: where } = attributes;
        return { decision: `${verb} ${what} ${name} ${where}` === allowed ? 'Allow' : 'NoOpinion', reason: '' };
      },
    },
  });
  const requestInfo: RequestInfo = {
    isResourceRequest: true,
    path: '',
    verb: 'update',
    apiPrefix: 'apis',
    apiVersion: 'v1',
    namespace,
    resource,
    apiGroup: 'rbac.authorization.k8s.io',
    subresource: '',
    name: 'x',
    parts: [],
    fieldSelector: '',
    labelSelector: '',
  };
  const signal = new AbortController().signal;
  const context: VerbContext = { namespace, user, requestInfo, warnings: { warn: () => {} }, signal };
  return { guard, context, requested };
}

async function refusal(check: Promise<void>): Promise<string> {
  try {
    await check;
    return '';
  } catch (error) {
    return isStatusError(error) ? `${error.status.code} ${error.message}` : String(error);
  }
}

const wide = [
  testRule('get delete create', [''], 'pods'),
  testRule('get', [''], 'secrets', 'one'),
  testPathRule('get', '/a'),
];
const missing =
  'user "bob" (groups=["devs"]) is attempting to grant RBAC permissions not currently held:\n' +
  '{APIGroups:[""], Resources:["pods"], Verbs:["delete" "create"]}\n' +
  '{APIGroups:[""], Resources:["secrets"], ResourceNames:["one"], Verbs:["get"]}\n' +
  '{NonResourceURLs:["/a"], Verbs:["get"]}';

const numbered = (letter: string, count = 1_000) =>
  Array.from({ length: count }, (_, index) => `${letter}${index}`).join(' ');

describe('escalationGuard', () => {
  it("lets a user write a role within the user's own permissions", async () => {
    const { guard, context } = setUp();
    expect(await refusal(guard.checkRole(context, testRole('ns', 'x', [testRule('get', [''], 'pods')])))).toBe('');
  });

  it('refuses further permissions, and lists them', async () => {
    const { guard, context } = setUp();
    expect(await refusal(guard.checkRole(context, testRole('ns', 'x', wide)))).toBe(
      `403 roles.rbac.authorization.k8s.io "x" is forbidden: ${missing}`,
    );
  });

  it.each([
    [
      'a rule of 20 KB that stands for a billion permissions',
      testRule(numbered('v'), numbered('g').split(' '), numbered('r')),
      128,
      'and rules that stand for too many permissions to be checked',
    ],
    [
      'a long name in many groups',
      testRule('get', numbered('g').split(' '), 'pods', 'n'.repeat(1_000_000)),
      1_001,
      'and 999 more',
    ],
    ['many names', testRule('get', ['g'], 'pods', numbered('n', 5_000)), 100, 'and 4000 more'],
  ])('bounds the text of a refusal: %s', async (_name, rule, kibibytes, end) => {
    const { guard, context } = setUp();
    const text = await refusal(guard.checkRole(context, testRole('ns', 'x', [rule])));
    expect([text.length < kibibytes * 1_024, text.slice(text.lastIndexOf('\n') + 1)]).toEqual([true, end]);
  });

  it('counts only cluster-wide permissions for a ClusterRole, and reports roles that could not be read', async () => {
    const { guard, context } = setUp({ resource: 'clusterroles', namespace: '', dangling: true });
    const role = testClusterRole('x', [testRule('get', [''], 'pods')]);
    expect(await refusal(guard.checkClusterRole(context, role))).toBe(
      '403 clusterroles.rbac.authorization.k8s.io "x" is forbidden: user "bob" (groups=["devs"]) is attempting to grant ' +
        'RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["get"]}; ' +
        'resolution errors: [clusterroles "gone" not found]',
    );
  });

  it.each([
    ['the loopback client', { user: testUser('system:apiserver', 'system:masters') }, ''],
    ['a user with escalate on this role', { allowed: 'escalate roles x ns' }, ''],
    ['a user with escalate on another role', { allowed: 'escalate roles y ns' }, missing],
    ['a user with escalate in another namespace', { allowed: 'escalate roles x other' }, missing],
  ] as const)('allows or refuses any rules: %s', async (_name, setup, reason) => {
    const { guard, context } = setUp(setup);
    const refused = await refusal(guard.checkRole(context, testRole('ns', 'x', wide)));
    expect(refused).toBe(reason && `403 roles.rbac.authorization.k8s.io "x" is forbidden: ${reason}`);
  });

  it('knows the verb escalate only for resources of its group', async () => {
    const { guard, context } = setUp({ allowed: 'escalate roles x ns' });
    const role = testRole('ns', 'x', wide);
    const requestInfo = context.requestInfo && { ...context.requestInfo, apiGroup: 'example.com' };
    expect(await refusal(guard.checkRole(context, role))).toBe('');
    expect(await refusal(guard.checkRole({ ...context, ...(requestInfo && { requestInfo }) }, role))).not.toBe('');
  });

  it('knows the verb escalate for cluster roles', async () => {
    const { guard, context } = setUp({ resource: 'clusterroles', namespace: '', allowed: 'escalate clusterroles x ' });
    expect(await refusal(guard.checkClusterRole(context, testClusterRole('x', wide)))).toBe('');
  });

  it('checks escalate for every version', async () => {
    const { guard, context, requested } = setUp({ allowed: 'escalate roles x ns' });
    await guard.checkRole(context, testRole('ns', 'x', wide));
    const what = { verb: 'escalate', apiGroup: 'rbac.authorization.k8s.io', apiVersion: '*', resource: 'roles' };
    const which = { subresource: '', name: 'x', namespace: 'ns', path: '' };
    expect(requested).toEqual([{ ...what, ...which, isResourceRequest: true, readOnly: false, user: bob }]);
  });

  it('lets the garbage collector change only owners and finalizers of any role', async () => {
    const { guard, context } = setUp();
    const old = testRole('ns', 'x', wide);
    old.metadata.ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' }];
    const released = { ...old, metadata: { ...old.metadata, ownerReferences: [], finalizers: ['orphan'] } };
    expect(await refusal(guard.checkRole(context, released, old))).toBe('');
    const labelled = { ...released, metadata: { ...released.metadata, labels: { a: 'b' } } };
    expect(await refusal(guard.checkRole(context, labelled, old))).toContain('is attempting to grant');
  });

  it('requires full authority to set, change or remove an aggregation rule', async () => {
    const setup = { resource: 'clusterroles', namespace: '' };
    const aggregated = testClusterRole('x', [], {
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    });
    const plain = testClusterRole('x', []);
    const reason =
      '403 clusterroles.rbac.authorization.k8s.io "x" is forbidden: must have cluster-admin privileges to use the aggregationRule';
    const { guard, context } = setUp(setup);
    expect(await refusal(guard.checkClusterRole(context, aggregated))).toBe(reason);
    expect(await refusal(guard.checkClusterRole(context, plain, aggregated))).toBe(reason);
    expect(await refusal(guard.checkClusterRole(context, plain))).toBe('');
    const admin = setUp({ ...setup, user: testUser('admin') });
    expect(await refusal(admin.guard.checkClusterRole(admin.context, aggregated))).toBe('');
  });

  it('allows to bind a role if the user has its rules or the permission to bind it', async () => {
    const binding = (role: string) => testRoleBinding('ns/x', role, 'User amy');
    const { guard, context, requested } = setUp({ resource: 'rolebindings' });
    expect(await refusal(guard.checkRoleBinding(context, binding('ClusterRole reader')))).toBe('');
    expect(requested).toMatchObject([
      {
        verb: 'bind',
        apiGroup: 'rbac.authorization.k8s.io',
        apiVersion: '*',
        resource: 'clusterroles',
        name: 'reader',
        namespace: 'ns',
      },
    ]);
    const { apiGroup: _, ...bare } = binding('Role x').roleRef;
    await refusal(guard.checkRoleBinding(context, { ...binding('Role x'), roleRef: bare }));
    expect(requested[1]).toMatchObject({ verb: 'bind', apiGroup: '', resource: 'roles', name: 'x', namespace: 'ns' });
    expect(await refusal(guard.checkRoleBinding(context, binding('ClusterRole root')))).toBe(
      '403 rolebindings.rbac.authorization.k8s.io "x" is forbidden: user "bob" (groups=["devs"]) is attempting to grant RBAC ' +
        'permissions not currently held:\n{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}',
    );
    expect(await refusal(guard.checkRoleBinding(context, binding('ClusterRole gone')))).toContain(
      'rolebindings "gone" not found',
    );
    expect(await refusal(guard.checkRoleBinding(context, binding('Job x')))).toBe(
      '500 unsupported role reference kind: "Job"',
    );
    const may = setUp({ allowed: 'bind clusterroles root ns' });
    expect(await refusal(may.guard.checkRoleBinding(may.context, binding('ClusterRole root')))).toBe('');
  });

  it('refuses a request without a user', async () => {
    const { guard, context: known } = setUp();
    const context = { ...known, user: undefined };
    expect(await refusal(guard.checkRole(context, testRole('ns', 'x', wide)))).toBe(
      '403 roles.rbac.authorization.k8s.io "x" is forbidden: no user on context',
    );
    const binding = testRoleBinding('ns/x', 'ClusterRole reader', 'User amy');
    expect(await refusal(guard.checkRoleBinding(context, binding))).toBe(
      '403 rolebindings.rbac.authorization.k8s.io "x" is forbidden: no user on context',
    );
  });

  it('does not know escalate for bindings, or without a request', async () => {
    const { guard, context, requested } = setUp({ resource: 'rolebindings', allowed: 'escalate rolebindings x ns' });
    const role = testRole('ns', 'x', wide);
    expect(await refusal(guard.checkRole(context, role))).toContain('is attempting to grant');
    const { requestInfo } = setUp({ allowed: 'escalate roles x ns' }).context;
    expect(await refusal(guard.checkRole({ ...context, requestInfo: undefined }, role))).toContain(
      'is attempting to grant',
    );
    const path = { ...context, ...(requestInfo && { requestInfo: { ...requestInfo, isResourceRequest: false } }) };
    expect(await refusal(guard.checkRole(path, role))).toContain('is attempting to grant');
    expect(requested).toEqual([]);
  });

  it('lets the loopback client bind any role', async () => {
    const { guard, context, requested } = setUp({ user: testUser('system:apiserver', 'system:masters') });
    expect(await refusal(guard.checkRoleBinding(context, testRoleBinding('ns/x', 'Role gone', 'User amy')))).toBe('');
    const binding = testClusterRoleBinding('x', 'gone', 'User amy');
    expect(await refusal(guard.checkClusterRoleBinding(context, binding))).toBe('');
    expect(requested).toEqual([]);
  });

  it('requires a namespace for a RoleBinding', async () => {
    const { guard, context } = setUp({ namespace: '' });
    const binding = testRoleBinding('ns/x', 'ClusterRole reader', 'User amy');
    expect(await refusal(guard.checkRoleBinding(context, binding))).toBe('400 namespace is required');
  });

  it('lets the garbage collector change only owners and finalizers of any other kind', async () => {
    const { guard, context } = setUp({ namespace: 'ns' });
    const role = testClusterRole('x', wide);
    const binding = testRoleBinding('ns/x', 'ClusterRole root', 'User amy');
    const clusterBinding = testClusterRoleBinding('x', 'root', 'User amy');
    const released = <T extends { metadata: object }>(object: T): T => {
      return { ...object, metadata: { ...object.metadata, finalizers: ['orphan'] } };
    };
    expect(await refusal(guard.checkClusterRole(context, released(role), role))).toBe('');
    expect(await refusal(guard.checkRoleBinding(context, released(binding), binding))).toBe('');
    expect(await refusal(guard.checkClusterRoleBinding(context, released(clusterBinding), clusterBinding))).toBe('');
    const bound = { ...released(binding), subjects: [] };
    expect(await refusal(guard.checkRoleBinding(context, bound, binding))).toContain('is attempting to grant');
    const clusterBound = { ...released(clusterBinding), subjects: [] };
    const refused = await refusal(guard.checkClusterRoleBinding(context, clusterBound, clusterBinding));
    expect(refused).toContain('is attempting to grant');
  });

  it('takes an absent aggregation rule, or one without selectors, for none', async () => {
    const { guard, context } = setUp({ resource: 'clusterroles', namespace: '' });
    const bare = testClusterRole('x', [], { aggregationRule: {} });
    expect(await refusal(guard.checkClusterRole(context, bare, testClusterRole('x', [])))).toBe('');
    const { rules: _, ...withoutRules } = bare;
    expect(await refusal(guard.checkClusterRole(context, withoutRules))).toBe('');
  });

  it('logs the error of an authorizer, and refuses', async () => {
    const logger = testLogger();
    const guard = escalationGuard({
      resolverFor: () =>
        listedRuleResolver({
          role: () => Promise.reject(new Error('none')),
          clusterRole: () => Promise.reject(new Error('none')),
          roleBindings: () => [],
          clusterRoleBindings: () => [],
        }),
      logger,
      authorizer: { authorize: () => ({ decision: 'NoOpinion', reason: '', error: new Error('broken') }) },
    });
    const refused = await refusal(guard.checkRole(setUp().context, testRole('ns', 'x', wide)));
    expect(refused).toContain('is attempting to grant');
    expect(logger.lines).toEqual(['error: Error authorizing user to escalate: Error: broken']);
    expect(logger.fields).toEqual([{ user: 'bob', resource: 'roles', name: 'x', namespace: 'ns' }]);
  });

  it('checks the cluster-wide permission to bind for a ClusterRoleBinding', async () => {
    const binding = testClusterRoleBinding('x', 'root', 'User bob');
    const { guard, context } = setUp({ namespace: '', allowed: 'bind clusterroles root ' });
    expect(await refusal(guard.checkClusterRoleBinding(context, binding))).toBe('');
    const narrow = setUp({ namespace: '', allowed: 'bind clusterroles root ns' });
    const refused = await refusal(narrow.guard.checkClusterRoleBinding(narrow.context, binding));
    expect(refused).toContain('403 clusterrolebindings.rbac.authorization.k8s.io "x" is forbidden: user "bob"');
  });
});
