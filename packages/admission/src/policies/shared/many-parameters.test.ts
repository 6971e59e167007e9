import type { KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { afterEach, expect, test, vi } from 'vitest';
import { outcomeOf } from '../../testing/recorded-policies.js';
import { namespace } from '../../testing/sample-objects.js';

const API = 'admissionregistration.k8s.io/v1';
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const RULE = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };

const parameter = (i: number): KubeObject => ({
  apiVersion: 'rules.example/v1',
  kind: 'Quotum',
  metadata: { name: `p${i}`, namespace: 'ns' },
});

/** A request that a policy warns about, once for each of its parameters. */
function warned(parameters: number) {
  const policy = {
    apiVersion: API,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'p' },
    spec: {
      paramKind: { apiVersion: 'rules.example/v1', kind: 'Quotum' },
      matchConstraints: { namespaceSelector: {}, objectSelector: {}, resourceRules: [RULE] },
      validations: [{ expression: 'false', message: 'no' }],
    },
  };
  const binding = {
    apiVersion: API,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'b' },
    spec: {
      policyName: 'p',
      paramRef: { selector: {}, parameterNotFoundAction: 'Deny' },
      validationActions: ['Warn'],
    },
  };
  return outcomeOf({
    plugin: 'validating',
    policies: [policy],
    bindings: [binding],
    params: Array.from({ length: parameters }, (_, i) => parameter(i)),
    namespaces: [namespace()],
    request: {
      operation: 'CREATE',
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'a',
      namespace: 'ns',
      userInfo: { username: 'alice', groups: [] },
      object: { ...CONFIG_MAP, metadata: { name: 'a', namespace: 'ns' } },
    },
  });
}

afterEach(() => vi.restoreAllMocks());

test('many parameters are matched, and their results taken, in turns of the event loop', async () => {
  // Those of the evaluation itself depend on its expressions.
  const turnsOf = async (parameters: number) => {
    vi.spyOn(TimeSlice.prototype, 'over', 'get').mockReturnValue(true);
    const turns = vi.spyOn(TimeSlice.prototype, 'yield').mockResolvedValue();
    expect(await warned(parameters)).toEqual({ allowed: true, warnings: Array(parameters).fill(expect.any(String)) });
    const { length } = turns.mock.calls;
    vi.restoreAllMocks();
    return length;
  };
  const few = await turnsOf(7);
  expect(await turnsOf(15)).toBe(few + 2);
});
