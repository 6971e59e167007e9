import type { MutatingAdmissionPolicy, MutatingAdmissionPolicySpec } from '@apiserver/api/admissionregistration/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { mutatingAdmissionPolicyDeclaration } from './index.js';

const context = testContext({ namespace: '' });
const { strategy, versions } = mutatingAdmissionPolicyDeclaration;

const RULE = { operations: ['CREATE'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] };
const MATCH = { resourceRules: [RULE] };
const APPLY = {
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression: 'Object{spec: Object.spec{replicas: 1}}' },
};
const PATCH = { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/spec"}]' } };
const VALID = { matchConstraints: MATCH, mutations: [APPLY, PATCH], reinvocationPolicy: 'Never' };

function policy(spec: MutatingAdmissionPolicySpec): MutatingAdmissionPolicy {
  const made: MutatingAdmissionPolicy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicy',
    metadata: { name: 'p', uid: 'u', resourceVersion: '1' },
    spec: structuredClone(spec),
  };
  versions[0]?.applyDefaults?.(made);
  return made;
}

const AT = 'spec.mutations[0]';
const OPERATIONS =
  'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"';

it.each<[string, MutatingAdmissionPolicySpec, string]>([
  ['a valid one', VALID, ''],
  [
    'variables in mutations',
    {
      ...VALID,
      variables: [{ name: 'a', expression: '1' }],
      mutations: [
        { ...APPLY, applyConfiguration: { expression: ' Object{spec: Object.spec{replicas: variables.a}}' } },
      ],
    },
    '',
  ],
  [
    'nothing',
    {},
    '[spec.matchConstraints: Required value, spec.mutations: Required value: mutations must contain at least one item, spec.reinvocationPolicy: Required value]',
  ],
  [
    'an unknown reinvocation',
    { ...VALID, reinvocationPolicy: 'Often' },
    'spec.reinvocationPolicy: Unsupported value: "Often": supported values: "IfNeeded", "Never"',
  ],
  [
    'deletions',
    { ...VALID, matchConstraints: { resourceRules: [{ ...RULE, operations: ['DELETE', 'UPDATE'] }] } },
    OPERATIONS,
  ],
  ['no type', { ...VALID, mutations: [{ patchType: '' }] }, `${AT}.patchType: Required value`],
  [
    'an unknown type',
    { ...VALID, mutations: [{ patchType: '<x' }] },
    `${AT}.patchType: Unsupported value: "\\u003cx": supported values: "ApplyConfiguration", "JSONPatch"`,
  ],
  [
    'a patch of the other type',
    { ...VALID, mutations: [{ ...APPLY, patchType: 'JSONPatch' }] },
    `[${AT}.jsonPatch: Required value: must be specified when patchType is JSONPatch, ${AT}.applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch]`,
  ],
  [
    'both patches',
    { ...VALID, mutations: [{ ...PATCH, ...APPLY }] },
    `${AT}.jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration`,
  ],
  [
    'an empty expression',
    { ...VALID, mutations: [{ patchType: 'JSONPatch', jsonPatch: {} }] },
    `${AT}.jsonPatch.expression: Required value`,
  ],
  [
    'expressions of other types',
    {
      ...VALID,
      mutations: [
        { ...APPLY, applyConfiguration: { expression: '1' } },
        { ...PATCH, jsonPatch: { expression: '[]' } },
      ],
    },
    `[${AT}.applyConfiguration.expression: Invalid value: "1": must evaluate to Object but got int, spec.mutations[1].jsonPatch.expression: Invalid value: "[]": must evaluate to list(JSONPatch) but got list(dyn)]`,
  ],
  [
    'a patch in a variable',
    { ...VALID, variables: [{ name: 'a', expression: 'Object{}' }] },
    "spec.variables[0].expression: Invalid value: \"Object{}\": compilation failed: ERROR: <input>:1:7: undeclared reference to 'Object' (in container '')\n | Object{}\n | ......^",
  ],
])('%s', async (_what, spec, message) => {
  const made = policy(spec);
  await strategy.prepareForCreate?.(context, made);
  expect(aggregateFieldErrors(strategy.validate(context, made))).toBe(message);
});

it('keeps stored match conditions, and counts changes of its spec', async () => {
  const wrong = { ...VALID, matchConditions: [{ name: 'c', expression: 'nothing' }] };
  const [old, changed, more] = [
    policy(wrong),
    policy({ ...wrong, failurePolicy: 'Ignore' }),
    policy({ ...wrong, matchConditions: [] }),
  ];
  await strategy.prepareForCreate?.(context, old);
  await strategy.prepareForUpdate?.(context, changed, old);
  expect(aggregateFieldErrors(strategy.validateUpdate(context, changed, old))).toBe('');
  expect([old.metadata.generation, changed.metadata.generation]).toEqual([1, 2]);
  await strategy.prepareForUpdate?.(context, old, more);
  expect(aggregateFieldErrors(strategy.validateUpdate(context, old, more))).toContain(
    'spec.matchConditions[0].expression',
  );
});

it('is the same object in each version', () => {
  const object = policy(VALID);
  const [, beta, alpha] = versions;
  expect([beta, alpha].map((version) => version?.fromHub?.(object))).toEqual(
    ['v1beta1', 'v1alpha1'].map((version) => ({ ...object, apiVersion: `admissionregistration.k8s.io/${version}` })),
  );
  expect(beta?.toHub?.({ ...object, apiVersion: 'admissionregistration.k8s.io/v1beta1' })).toEqual(object);
});

it('warns of versions that are deprecated in this release', () => {
  expect(versions.map(({ deprecated }) => deprecated?.since)).toEqual([undefined, undefined, '1.35']);
});
