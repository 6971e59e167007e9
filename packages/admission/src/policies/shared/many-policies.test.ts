import type { KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { afterEach, expect, test, vi } from 'vitest';
import { outcomeOf } from '../../testing/recorded-policies.js';
import { namespace } from '../../testing/sample-objects.js';

const API = 'admissionregistration.k8s.io/v1';
const RULE = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };

const policy = (index: number) => ({
  apiVersion: API,
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: `p${index}` },
  spec: {
    matchConstraints: { namespaceSelector: {}, objectSelector: {}, resourceRules: [RULE] },
    validations: [{ expression: 'false', message: `no${index}` }],
  },
});
const binding = (index: number, policyName = `p${index}`) => ({
  apiVersion: API,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: `b${index}` },
  spec: { policyName, validationActions: ['Warn'] },
});

const all = <T>(length: number, make: (index: number) => T) => Array.from({ length }, (_, index) => make(index));

/** A request that each binding warns about. */
function warned(policies: readonly KubeObject[], bindings: readonly KubeObject[]) {
  return outcomeOf({
    plugin: 'validating',
    policies,
    bindings,
    params: [],
    namespaces: [namespace()],
    request: {
      operation: 'CREATE',
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'a',
      namespace: 'ns',
      userInfo: { username: 'alice', groups: [] },
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ns' } },
    },
  });
}

afterEach(() => vi.restoreAllMocks());

/** The turns of a request that so many bindings warn about. */
async function turnsOf(policies: readonly KubeObject[], bindings: readonly KubeObject[]): Promise<number> {
  vi.spyOn(TimeSlice.prototype, 'over', 'get').mockReturnValue(true);
  const turns = vi.spyOn(TimeSlice.prototype, 'yield').mockResolvedValue();
  const warnings = bindings.map(() => expect.any(String));
  expect(await warned(policies, bindings)).toMatchObject({ allowed: true, warnings });
  const { length } = turns.mock.calls;
  vi.restoreAllMocks();
  return length;
}

test('many policies and their bindings are matched in turns of the event loop', async () => {
  const turns = (length: number) =>
    turnsOf(
      all(length, policy),
      all(length, (index) => binding(index)),
    );
  // The evaluation of each policy has turns of its own.
  const each = (await turns(15)) / 15;
  // One for 16 policies, and one for their bindings.
  expect([await turns(31), await turns(47)]).toEqual([31 * each + 2, 47 * each + 4]);
});

test('many bindings of one policy are matched in turns of the event loop', async () => {
  const turns = (length: number) =>
    turnsOf(
      [policy(0)],
      all(length, (index) => binding(index, 'p0')),
    );
  const few = await turns(15);
  expect([await turns(31), await turns(47)]).toEqual([few + 1, few + 2]);
});
