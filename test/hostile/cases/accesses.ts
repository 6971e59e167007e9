import { type HostileCase, type HostileRequest, MAX_BODY, sending } from '../hostile-case.ts';

const REVIEWS = '/apis/authorization.k8s.io/v1';
/** Room for the rest of a body. */
const ROOM = MAX_BODY - 4_096;

/** As many elements as a body has room for. */
function filled<T>(element: (index: number) => T): T[] {
  const elements: T[] = [];
  for (let size = 0, index = 0; size < ROOM; index++) {
    const next = element(index);
    size += JSON.stringify(next).length + 1;
    if (size < ROOM) elements.push(next);
  }
  return elements;
}

const pods = { verb: 'list', resource: 'pods', namespace: 'default' };
const requirement = (index: number) => ({ key: `k${index}`, operator: 'NotIn', values: [`v${index}`] });

const asking = (spec: object, review = 'subjectaccessreviews') => ({
  request: (): HostileRequest => sending('POST', `${REVIEWS}/${review}`, 'json', JSON.stringify({ spec })),
  maxResponse: 4 * 2 ** 20,
});

const RBAC = 'rbac.authorization.k8s.io';
const EVERYBODY = ['system:authenticated', 'system:unauthenticated'].map((name) => ({
  kind: 'Group',
  apiGroup: RBAC,
  name,
}));

/** A namespace whose owner grants many roles to everybody: all pay for them. */
function grantedToAll(namespace: string, roles: number, rules: (role: number) => readonly object[]) {
  const path = `/apis/${RBAC}/v1/namespaces/${namespace}`;
  const granted = Array.from({ length: roles }, (_, role) => {
    const metadata = { name: `many-${role}` };
    const roleRef = { apiGroup: RBAC, kind: 'Role', name: metadata.name };
    return [
      sending('POST', `${path}/roles`, 'json', JSON.stringify({ metadata, rules: rules(role) })),
      sending('POST', `${path}/rolebindings`, 'json', JSON.stringify({ metadata, roleRef, subjects: EVERYBODY })),
    ];
  });
  return {
    before: [
      sending('POST', '/api/v1/namespaces', 'json', JSON.stringify({ metadata: { name: namespace } })),
      ...granted.flat(),
    ],
    request: (): HostileRequest => ({ method: 'GET', path: `/api/v1/namespaces/${namespace}/secrets/s` }),
    who: 'anonymous' as const,
    status: 403,
  };
}

const ROLES = 15;
const manyRules = Array.from({ length: 9_000 }, (_, i) => ({ apiGroups: [''], resources: [`r${i}`], verbs: ['get'] }));
const wideRule = (role: number) => [
  { apiGroups: [''], resources: Array.from({ length: 70_000 }, (_, i) => `r${role}-${i}`), verbs: ['get'] },
];

/** Questions about accesses of users whom nobody is: with all groups, extras and selectors that a body has room for. */
export const ACCESS_CASES: readonly HostileCase[] = [
  {
    name: 'groups',
    ...asking({ user: 'u', groups: filled((i) => `group-${i}-of-very-many-groups`), resourceAttributes: pods }),
    status: 201,
  },
  {
    name: 'extras',
    ...asking({
      user: 'u',
      extra: Object.fromEntries(filled((i) => [`example.com/k${i}`, [`v${i}`]])),
      resourceAttributes: pods,
    }),
  },
  {
    name: 'field requirements of a node',
    ...asking({
      user: 'system:node:n1',
      groups: ['system:nodes'],
      resourceAttributes: { ...pods, fieldSelector: { requirements: filled(requirement) } },
    }),
  },
  {
    name: 'label requirements',
    ...asking({ user: 'u', resourceAttributes: { ...pods, labelSelector: { requirements: filled(requirement) } } }),
  },
  {
    name: 'a raw selector of a node',
    ...asking({
      user: 'system:node:n1',
      groups: ['system:nodes'],
      resourceAttributes: { ...pods, fieldSelector: { rawSelector: filled((i) => `k${i}!=v${i}`).join(',') } },
    }),
  },
  {
    name: 'a long name of a node',
    ...asking({
      user: `system:node:${'n'.repeat(1_000_000)}`,
      groups: ['system:nodes'],
      resourceAttributes: { ...pods, verb: 'get', resource: 'secrets', name: 's'.repeat(1_000_000) },
    }),
  },
  {
    name: `${ROLES} roles of 9,000 rules, granted to everybody`,
    ...grantedToAll('many-rules', ROLES, () => manyRules),
  },
  { name: `${ROLES} roles of 70,000 resources, granted to everybody`, ...grantedToAll('wide-rules', ROLES, wideRule) },
  {
    name: 'the rules of somebody with 135,000',
    before: grantedToAll('many-rules', ROLES, () => manyRules).before,
    request: () => {
      const review = sending(
        'POST',
        `${REVIEWS}/selfsubjectrulesreviews`,
        'json',
        JSON.stringify({ spec: { namespace: 'many-rules' } }),
      );
      return { ...review, headers: { ...review.headers, 'impersonate-user': 'somebody' } };
    },
    status: 201,
    maxResponse: 2 ** 20,
  },
];
