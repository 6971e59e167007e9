import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { rbacAuthorizer } from './rbac-authorizer.js';
import { PolicyIndex } from './resolution/policy-index.js';
import {
  testAttributes,
  testClusterRole,
  testClusterRoleBinding,
  testLogger,
  testPathRule,
  testRoleBinding,
  testRule,
  testUser,
} from './testing/index.js';

const roles = new Map(
  [
    testClusterRole('reader', [testRule('get list', [''], 'pods'), testPathRule('get', '/healthz')]),
    testClusterRole('watcher', [testRule('watch', [''], 'pods')]),
    testClusterRole('both', [{ ...testRule('get', [''], 'x', 'n'), ...testPathRule('get', '/x') }]),
  ].map((role) => [role.metadata.name, role]),
);

function authorizerOf(level = 0) {
  const index = new PolicyIndex({ role: () => undefined, clusterRole: (name) => roles.get(name) });
  const logger = testLogger(level);
  return { index, logger, authorizer: rbacAuthorizer(index, logger) };
}

describe('rbacAuthorizer', () => {
  it('allows a permitted request and names the first matching binding', async () => {
    const { index, authorizer } = authorizerOf();
    index.setClusterRoleBinding(testClusterRoleBinding('a', 'both', 'User bob'));
    index.setClusterRoleBinding(testClusterRoleBinding('b', 'both', 'User bob'));
    index.setRoleBinding(testRoleBinding('ns/c', 'ClusterRole reader', 'User bob'));
    const reason = 'RBAC: allowed by RoleBinding "c/ns" of ClusterRole "reader" to User "bob"';
    expect(await authorizer.authorize(testAttributes())).toEqual({ decision: 'Allow', reason });
    expect((await authorizer.authorize(testAttributes({ namespace: 'other' }))).decision).toBe('NoOpinion');
  });

  it('finds a rule behind bindings of other roles', async () => {
    const { index, authorizer } = authorizerOf();
    for (const [i, role] of ['both', 'reader', 'both', 'reader', 'both'].entries()) {
      index.setClusterRoleBinding(testClusterRoleBinding(`b${i}`, role, 'User bob'));
    }
    index.setClusterRoleBinding(testClusterRoleBinding('c', 'watcher', 'User bob'));
    expect(await authorizer.authorize(testAttributes({ verb: 'watch' }))).toEqual({
      decision: 'Allow',
      reason: 'RBAC: allowed by ClusterRoleBinding "c" of ClusterRole "watcher" to User "bob"',
    });
    expect((await authorizer.authorize(testAttributes({ verb: 'delete' }))).decision).toBe('NoOpinion');
  });

  it('has no opinion otherwise, with the distinct errors of the lookup as its reason', async () => {
    const { index, authorizer } = authorizerOf();
    expect(await authorizer.authorize(testAttributes())).toEqual({ decision: 'NoOpinion', reason: '' });
    index.setClusterRoleBinding(testClusterRoleBinding('a', 'gone', 'User bob'));
    index.setClusterRoleBinding(testClusterRoleBinding('b', 'gone', 'User bob'));
    const gone = 'clusterrole.rbac.authorization.k8s.io "gone" not found';
    expect(await authorizer.authorize(testAttributes())).toEqual({ decision: 'NoOpinion', reason: `RBAC: ${gone}` });
    index.setClusterRoleBinding(testClusterRoleBinding('c', 'lost', 'User bob'));
    const lost = 'clusterrole.rbac.authorization.k8s.io "lost" not found';
    expect((await authorizer.authorize(testAttributes())).reason).toBe(`RBAC: [${gone}, ${lost}]`);
    index.setClusterRoleBinding(testClusterRoleBinding('d', 'reader', 'User bob'));
    expect((await authorizer.authorize(testAttributes())).decision).toBe('Allow');
  });

  it.each([
    [{}, '"get" resource "pods" named "p1" in namespace "ns"'],
    [{ name: '', namespace: '', verb: 'list' }, '"list" resource "pods" cluster-wide'],
    [
      { apiGroup: 'apps', resource: 'deployments', subresource: 'scale' },
      '"get" resource "deployments.apps/scale" named "p1" in namespace "ns"',
    ],
    [{ isResourceRequest: false, namespace: '', path: '/a"b' }, '"get" nonResourceURL "/a\\"b" cluster-wide'],
  ])('logs a denial at verbosity 5: %j', async (changes, text) => {
    const { logger, authorizer } = authorizerOf(5);
    await authorizer.authorize(testAttributes({ user: testUser('bob', 'g 1', 'g2'), ...changes }));
    expect(logger.lines).toEqual([`RBAC: no rules authorize user "bob" with groups ["g 1" "g2"] to ${text}`]);
  });

  it('separates resource rules from non-resource rules', async () => {
    const { index, authorizer } = authorizerOf();
    index.setClusterRoleBinding(testClusterRoleBinding('a', 'both', 'User bob'));
    index.setClusterRoleBinding(testClusterRoleBinding('c', 'reader', 'User bob'));
    index.setRoleBinding(testRoleBinding('ns/b', 'ClusterRole gone', 'User bob'));
    const { errors, ...rules } = await authorizer.rulesFor(testUser('bob'), 'ns');
    expect(rules).toEqual({
      resourceRules: [
        { verbs: ['get'], apiGroups: [''], resources: ['x'], resourceNames: ['n'] },
        { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'], resourceNames: [] },
      ],
      nonResourceRules: [
        { verbs: ['get'], nonResourceURLs: ['/x'] },
        { verbs: ['get'], nonResourceURLs: ['/healthz'] },
      ],
      incomplete: false,
    });
    expect(errors.map(({ message }) => message)).toEqual(['clusterrole.rbac.authorization.k8s.io "gone" not found']);
  });

  it('lists a rule without verbs, and nothing for one with neither resources nor paths', async () => {
    const role = testClusterRole('odd', [
      { verbs: null, resources: ['pods'] },
      { verbs: null, nonResourceURLs: ['/a'] },
      { verbs: ['get'], apiGroups: [''], resourceNames: ['n'] },
    ]);
    const index = new PolicyIndex({ role: () => undefined, clusterRole: () => role });
    index.setClusterRoleBinding(testClusterRoleBinding('a', 'odd', 'User bob'));
    expect(await rbacAuthorizer(index, testLogger()).rulesFor(testUser('bob'), 'ns')).toEqual({
      resourceRules: [{ verbs: [], apiGroups: [], resources: ['pods'], resourceNames: [] }],
      nonResourceRules: [{ verbs: [], nonResourceURLs: ['/a'] }],
      incomplete: false,
      errors: [],
    });
  });

  it('evaluates the rules of a role once, however many bindings grant it', async () => {
    const evaluated: string[] = [];
    const counted = (name: string) => {
      const rule = testRule('get', [''], 'secrets');
      const count = () => {
        evaluated.push(name);
        return ['get'];
      };
      return testClusterRole(name, [Object.defineProperty(rule, 'verbs', { get: count })]);
    };
    const known = new Map(['a', 'b', 'c'].map((name) => [name, counted(name)]));
    const index = new PolicyIndex({ role: () => undefined, clusterRole: (name) => known.get(name) });
    for (const [i, role] of ['a', 'a', 'b', 'c', 'b', 'a', 'c', 'c'].entries()) {
      index.setClusterRoleBinding(testClusterRoleBinding(`b${i}`, role, 'User bob'));
    }
    expect((await rbacAuthorizer(index, testLogger()).authorize(testAttributes())).decision).toBe('NoOpinion');
    expect(evaluated).toEqual(['a', 'b', 'c']);
  });

  it('decides without the clock for a user of few roles', async () => {
    const { index, authorizer } = authorizerOf();
    const clock = vi.spyOn(performance, 'now');
    onTestFinished(() => clock.mockRestore());
    index.setClusterRoleBinding(testClusterRoleBinding('a', 'watcher', 'User bob'));
    index.setClusterRoleBinding(testClusterRoleBinding('b', 'reader', 'User bob'));
    expect((await authorizer.authorize(testAttributes())).decision).toBe('Allow');
    expect(clock).not.toHaveBeenCalled();
  });

  it('judges roles beyond one slice in turns, with the same decision', async () => {
    // Each takes a slice and more.
    const slow = (name: string) => {
      const rule = testRule('get', [''], 'secrets');
      const wait = () => {
        const end = performance.now() + 3;
        while (performance.now() < end);
        return ['get'];
      };
      return testClusterRole(name, [Object.defineProperty(rule, 'verbs', { get: wait })]);
    };
    const many = new Map(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, slow(name)]));
    const index = new PolicyIndex({ role: () => undefined, clusterRole: (name) => many.get(name) ?? roles.get(name) });
    for (const name of [...many.keys(), 'gone']) {
      index.setClusterRoleBinding(testClusterRoleBinding(name, name, 'User bob'));
    }
    const authorizer = rbacAuthorizer(index, testLogger());
    const refused = authorizer.authorize(testAttributes());
    expect(refused).toBeInstanceOf(Promise);
    const gone = 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found';
    expect(await refused).toEqual({ decision: 'NoOpinion', reason: gone });
    index.setClusterRoleBinding(testClusterRoleBinding('z', 'reader', 'User bob'));
    expect(await authorizer.authorize(testAttributes())).toEqual({
      decision: 'Allow',
      reason: 'RBAC: allowed by ClusterRoleBinding "z" of ClusterRole "reader" to User "bob"',
    });
  });

  it('visits many bindings in turns, whether their roles exist or not', async () => {
    let lookUps = 0;
    const slowly = (name: string) => {
      lookUps++;
      const end = performance.now() + 0.05;
      while (performance.now() < end);
      return name === 'gone' ? undefined : roles.get(name);
    };
    const index = new PolicyIndex({ role: () => undefined, clusterRole: slowly });
    const names = Array.from({ length: 600 }, (_, i) => `b${String(i).padStart(3, '0')}`);
    for (const name of names) {
      const role = name < 'b300' ? 'gone' : 'watcher';
      index.setClusterRoleBinding(testClusterRoleBinding(name, role, 'User bob'));
    }
    index.setRoleBinding(testRoleBinding('ns/z', 'ClusterRole reader', 'User bob'));
    const allowed = rbacAuthorizer(index, testLogger()).authorize(testAttributes());
    expect(lookUps).toBeLessThan(300);
    expect(await allowed).toMatchObject({ decision: 'Allow', reason: expect.stringContaining('RoleBinding "z/ns"') });
    expect(lookUps).toBe(601);
  });

  it('names a thousand missing roles, and counts the others', async () => {
    const { index, authorizer } = authorizerOf();
    for (let i = 0; i < 1_500; i++) index.setRoleBinding(testRoleBinding(`ns/b${i}`, `Role gone-${i}`, 'User bob'));
    const { reason } = await authorizer.authorize(testAttributes());
    expect(reason.match(/not found/g)).toHaveLength(1_000);
    expect(reason).toMatch(/, and 500 more errors\]$/);
  });

  it.each([
    ['rules', Array.from({ length: 9_000 }, (_, i) => testRule('get', ['g'], `r${i}`)), 11_111],
    ['long names', [testRule('get', [''], 'x', 'n'.repeat(1_000_000))], 3],
  ])('lists as many %s as an answer may have', async (_, rules, count) => {
    const role = testClusterRole('large', rules);
    const index = new PolicyIndex({ role: () => undefined, clusterRole: () => role });
    for (let i = 0; i < 20; i++) index.setClusterRoleBinding(testClusterRoleBinding(`b${i}`, 'large', 'User bob'));
    const listed = await rbacAuthorizer(index, testLogger()).rulesFor(testUser('bob'), 'ns');
    expect([listed.resourceRules.length, listed.incomplete]).toEqual([count, true]);
    expect(listed.errors.map(({ message }) => message)).toEqual(['the user has too many rules to list them all']);
  });

  it('lists a thousand missing roles', async () => {
    const { index, authorizer } = authorizerOf();
    for (let i = 0; i < 1_500; i++) index.setRoleBinding(testRoleBinding(`ns/b${i}`, `Role gone-${i}`, 'User bob'));
    const { errors, incomplete } = await authorizer.rulesFor(testUser('bob'), 'ns');
    expect([errors.length, incomplete]).toEqual([1_001, true]);
  });
});
