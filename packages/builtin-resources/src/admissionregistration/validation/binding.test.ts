import type { ValidatingAdmissionPolicyBindingSpec } from '@apiserver/api/admissionregistration/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { mutatingAdmissionPolicyBindingDeclaration } from '../mutating-admission-policy-binding/index.js';
import { validatingAdmissionPolicyBindingDeclaration } from '../validating-admission-policy-binding/index.js';

const context = testContext({ namespace: '' });
const GROUP = 'admissionregistration.k8s.io';
const metadata = { name: 'b', uid: 'u', resourceVersion: '1' };
const RULE = { operations: ['DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const VALID = { policyName: 'p', validationActions: ['Deny', 'Audit'] };

function binding(spec: ValidatingAdmissionPolicyBindingSpec) {
  const made = {
    apiVersion: `${GROUP}/v1`,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata,
    spec: structuredClone(spec),
  };
  validatingAdmissionPolicyBindingDeclaration.versions[0]?.applyDefaults?.(made);
  return made;
}

const ACTIONS = 'spec.validationActions';
const REF = 'spec.paramRef';
const EXCLUSIVE = 'Forbidden: name and selector are mutually exclusive';

describe('a binding of a validating policy', () => {
  it.each<[string, ValidatingAdmissionPolicyBindingSpec, string]>([
    ['a valid one', VALID, ''],
    [
      'nothing',
      {},
      `[spec.policyName: Required value, ${ACTIONS}: Required value: at least one validation action is required]`,
    ],
    [
      'wrong actions',
      { policyName: 'p', validationActions: ['Deny', 'Warn', 'Deny', '<x', '<x'] },
      `[${ACTIONS}[2]: Duplicate value: "Deny", ${ACTIONS}[3]: Unsupported value: "\\u003cx": supported values: "Audit", "Deny", "Warn", ` +
        `${ACTIONS}[4]: Unsupported value: "\\u003cx": supported values: "Audit", "Deny", "Warn", ${ACTIONS}[4]: Duplicate value: "\\u003cx", ` +
        `${ACTIONS}: Invalid value: ["Deny","Warn","Deny","\\u003cx","\\u003cx"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)]`,
    ],
    [
      'an empty reference',
      { ...VALID, paramRef: {} },
      `[${REF}: Required value: one of name or selector must be specified, ${REF}.parameterNotFoundAction: Required value]`,
    ],
    [
      'a name and a selector',
      { ...VALID, paramRef: { name: '..', selector: {}, parameterNotFoundAction: '<x' } },
      `[${REF}.name: Invalid value: "..": may not be '..', ${REF}.name: ${EXCLUSIVE}, ${REF}.selector: ${EXCLUSIVE}, ${REF}.parameterNotFoundAction: Unsupported value: "\\u003cx": supported values: "Deny", "Allow"]`,
    ],
    [
      'a wrong rule',
      { ...VALID, matchResources: { resourceRules: [{ ...RULE, resources: [] }] } },
      'spec.matchResources.resourceRules[0].resources: Required value',
    ],
    ['deletions', { ...VALID, matchResources: { resourceRules: [RULE] } }, ''],
  ])('%s', async (_what, spec, message) => {
    const { strategy } = validatingAdmissionPolicyBindingDeclaration;
    expect(aggregateFieldErrors(strategy.validate(context, binding(spec)))).toBe(message);
    expect(aggregateFieldErrors(strategy.validateUpdate(context, binding(spec), binding(VALID)))).toBe(message);
  });

  it('needs a valid policy name', () => {
    const { strategy } = validatingAdmissionPolicyBindingDeclaration;
    const message = aggregateFieldErrors(strategy.validate(context, binding({ ...VALID, policyName: 'A' })));
    expect(message).toContain('spec.policyName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of');
  });
});

it('a binding of a mutating policy covers no deletions', () => {
  const { strategy } = mutatingAdmissionPolicyBindingDeclaration;
  const object = {
    ...binding({ policyName: 'p', matchResources: { resourceRules: [RULE] } }),
    kind: 'MutatingAdmissionPolicyBinding',
  };
  expect(aggregateFieldErrors(strategy.validate(context, object))).toBe(
    'spec.matchResources.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
  );
});

it.each([mutatingAdmissionPolicyBindingDeclaration, validatingAdmissionPolicyBindingDeclaration])(
  'counts changes of $kind',
  ({ strategy }) => {
    const [made, changed] = [binding(VALID), binding({ ...VALID, policyName: 'q' })].map((object) => ({
      ...object,
      metadata: { ...metadata },
    }));
    if (made === undefined || changed === undefined) throw new TypeError('no bindings');
    strategy.prepareForCreate?.(context, made);
    strategy.prepareForUpdate?.(context, changed, made);
    expect([made, changed].map((object) => object.metadata)).toEqual([
      { ...metadata, generation: 1 },
      { ...metadata, generation: 2 },
    ]);
  },
);

it('only v1alpha1 has a default for missing parameters', () => {
  const defaulted = mutatingAdmissionPolicyBindingDeclaration.versions.map(({ applyDefaults }) => {
    const object = { ...binding({ policyName: 'p' }), spec: { policyName: 'p', paramRef: { name: 'n' } } };
    applyDefaults?.(object);
    return object.spec.paramRef;
  });
  expect(defaulted).toEqual([{ name: 'n' }, { name: 'n' }, { name: 'n', parameterNotFoundAction: 'Deny' }]);
});
