import { type HostileCase, type HostileRequest, KIB, MIB, sending } from '../hostile-case.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ROLES = `${RBAC}/clusterroles`;
const GROUP = 'rbac.authorization.k8s.io';
/** May write roles, and has many permissions, but not the verb `escalate`. */
const GRANTER = 'granter';

const numbered = (letter: string, count: number) => Array.from({ length: count }, (_, index) => `${letter}${index}`);
const rule = (verbs: number, apiGroups: number, resources: number) => ({
  verbs: numbered('v', verbs),
  apiGroups: numbered('g', apiGroups),
  resources: numbered('r', resources),
});
const role = (name: string, rules: readonly object[]) => JSON.stringify({ metadata: { name }, rules });
const subject = { kind: 'User', name: GRANTER, apiGroup: GROUP };
const bind = (name: string) =>
  JSON.stringify({ metadata: { name }, roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name }, subjects: [subject] });

const BEFORE: readonly HostileRequest[] = [
  ...[
    role('granter', [
      { verbs: ['create'], apiGroups: [GROUP], resources: ['clusterroles', 'clusterrolebindings'] },
      ...Array.from({ length: 1_000 }, (_, index) => ({ ...rule(1, 1, 20), apiGroups: [`g${index}`] })),
    ]),
    role('too-much', [rule(1_000, 1_000, 1_000)]),
  ].map((body) => sending('POST', ROLES, 'json', body)),
  sending('POST', `${RBAC}/clusterrolebindings`, 'json', bind(GRANTER)),
];

const granting = (request: HostileRequest) => ({
  ...request,
  headers: { ...request.headers, 'impersonate-user': GRANTER },
});
const grant = (...rules: readonly object[]) => ({
  before: BEFORE,
  request: (name: string) => granting(sending('POST', ROLES, 'json', role(name, rules))),
  status: 403,
  maxResponse: MIB,
});

/** Roles and bindings of a user who has some of their permissions. A rule stands for a product of its lists. */
export const GRANT_CASES: readonly HostileCase[] = [
  { name: 'a rule that stands for a billion permissions', ...grant(rule(1_000, 1_000, 1_000)) },
  { name: 'many permissions that the user has, and one more', ...grant(rule(1, 1_001, 20)) },
  { name: 'many groups', ...grant(rule(1, 60_000, 1)) },
  { name: 'many names', ...grant({ ...rule(1, 1, 1), resourceNames: numbered('n', 60_000) }, rule(1, 1, 21)) },
  { name: 'many verbs', ...grant(rule(60_000, 1, 1)) },
  { name: 'many paths', ...grant({ verbs: ['get', 'put'], nonResourceURLs: numbered('/p', 60_000) }) },
  {
    name: 'a long name in many groups',
    ...grant({ ...rule(1, 2_000, 1), resourceNames: ['n'.repeat(900 * KIB)] }),
    maxResponse: 4 * MIB,
  },
  {
    name: 'a binding of a role that stands for a billion permissions',
    before: BEFORE,
    request: (name) =>
      granting(
        sending(
          'POST',
          `${RBAC}/clusterrolebindings`,
          'json',
          bind('too-much').replace('"too-much"', JSON.stringify(name)),
        ),
      ),
    status: 403,
    maxResponse: MIB,
  },
];
