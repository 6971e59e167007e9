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
const binding = (index: number) => ({
  apiVersion: API,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: `b${index}` },
  spec: { policyName: `p${index}`, validationActions: ['Warn'] },
});

/** A request that each policy warns about. */
function warned(length: number) {
  const all = <T>(make: (index: number) => T) => Array.from({ length }, (_, index) => make(index));
  return outcomeOf({
    plugin: 'validating',
    policies: all(policy),
    bindings: all(binding),
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

test('many policies and their bindings are matched in turns of the event loop', async () => {
  const turnsOf = async (policies: number) => {
    vi.spyOn(TimeSlice.prototype, 'over', 'get').mockReturnValue(true);
    const turns = vi.spyOn(TimeSlice.prototype, 'yield').mockResolvedValue();
    expect(await warned(policies)).toEqual({ allowed: true, warnings: Array(policies).fill(expect.any(String)) });
    const { length } = turns.mock.calls;
    vi.restoreAllMocks();
    return length;
  };
  // The evaluation of each policy has turns of its own.
  const each = (await turnsOf(15)) / 15;
  // One for 16 policies, and one for their bindings.
  expect([await turnsOf(31), await turnsOf(47)]).toEqual([31 * each + 2, 47 * each + 4]);
});
