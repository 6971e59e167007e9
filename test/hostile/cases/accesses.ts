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
];
