// The cost of a decision with 1, 100 and 5,000 bindings: npx tsc -b packages/rbac-authorizer && node
// packages/rbac-authorizer/bench/authorize.ts Prints microseconds per decision; compare figures of one run only.

import type { AuthorizationAttributes, Logger, UserInfo } from '@apiserver/apiserver-contracts';
import { type ClusterRole, type ClusterRoleBinding, PolicyIndex, rbacAuthorizer } from '@apiserver/rbac-authorizer';

const apiGroup = 'rbac.authorization.k8s.io';
const apiVersion = `${apiGroup}/v1`;
const logger: Logger = { info() {}, warning() {}, error() {}, v: () => undefined, named: () => logger };

/** Thirty rules, as in `admin`; only the last one allows the request. */
function clusterRole(name: string): ClusterRole {
  const rules = Array.from({ length: 30 }, (_, i) => ({
    verbs: ['get', 'list', 'watch'],
    apiGroups: [''],
    resources: i === 29 ? ['pods'] : [`things${i}`, `things${i}/status`],
  }));
  return { apiVersion, kind: 'ClusterRole', metadata: { name }, rules };
}

type MakeSubject = (index: number) => { readonly kind: string; readonly name: string };

function binding(index: number, role: string, subject: MakeSubject): ClusterRoleBinding {
  const name = `binding-${String(index).padStart(5, '0')}`;
  const roleRef = { apiGroup, kind: 'ClusterRole', name: role };
  return { apiVersion, kind: 'ClusterRoleBinding', metadata: { name }, roleRef, subjects: [subject(index)] };
}

const user: UserInfo = { name: 'user-0', groups: ['devs', 'system:authenticated'], extra: {} };

function attributes(verb: string): AuthorizationAttributes {
  const about = {
    apiGroup: '',
    apiVersion: 'v1',
    namespace: 'ns',
    resource: 'pods',
    subresource: '',
    name: 'p',
    path: '',
  };
  return { ...about, user, verb, readOnly: true, isResourceRequest: true };
}

function microseconds(work: () => unknown, rounds: number): string {
  for (let i = 0; i < rounds / 10; i++) work();
  const start = process.hrtime.bigint();
  for (let i = 0; i < rounds; i++) work();
  return (Number(process.hrtime.bigint() - start) / 1000 / rounds).toFixed(2).padStart(9);
}

const scenarios: readonly (readonly [string, (index: number) => string, MakeSubject])[] = [
  ['one user each, one role', () => 'r', (index) => ({ kind: 'User', name: `user-${index}` })],
  ['all for a group of the user, one role', () => 'r', () => ({ kind: 'Group', name: 'devs' })],
  ['all for a group of the user, a role each', (index) => `r${index}`, () => ({ kind: 'Group', name: 'devs' })],
];

for (const [name, roleOf, subject] of scenarios) {
  for (const count of [1, 100, 5000]) {
    const roles = new Map(Array.from({ length: count }, (_, i) => [roleOf(i), clusterRole(roleOf(i))]));
    const index = new PolicyIndex({ role: () => undefined, clusterRole: (role) => roles.get(role) });
    for (let i = 0; i < count; i++) index.setClusterRoleBinding(binding(i, roleOf(i), subject));
    const authorizer = rbacAuthorizer(index, logger);
    const rounds = count === 5000 && subject(0).kind === 'Group' ? 500 : 200_000;
    const [allowed, refused] = ['get', 'delete'].map((verb) => {
      const request = attributes(verb);
      return microseconds(() => authorizer.authorize(request), rounds);
    });
    const change = microseconds(() => index.setClusterRoleBinding(binding(0, roleOf(0), subject)), 2000);
    const figures = `allowed ${allowed} µs, refused ${refused} µs, a binding changed ${change} µs`;
    process.stdout.write(`${name.padEnd(42)} ${String(count).padStart(5)} bindings: ${figures}\n`);
  }
}
