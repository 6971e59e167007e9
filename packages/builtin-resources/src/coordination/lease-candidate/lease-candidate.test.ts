import type { LeaseCandidate, LeaseCandidateSpec } from '@apiserver/api/coordination/v1beta1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { leaseCandidates } from './index.js';

const SPEC: LeaseCandidateSpec = {
  leaseName: 'l',
  binaryVersion: '1.36.0',
  emulationVersion: '1.35.0',
  strategy: 'OldestEmulationVersion',
};

function candidate(spec: Partial<LeaseCandidateSpec> = {}, name = 'a'): LeaseCandidate {
  return {
    apiVersion: 'coordination.k8s.io/v1beta1',
    kind: 'LeaseCandidate',
    metadata: { name, namespace: 'ns', uid: 'u', resourceVersion: '1', finalizers: ['unqualified'] },
    spec: { ...SPEC, ...spec },
  };
}

const SEMANTIC = 'must be a valid semantic version';
const OLDER = 'must be greater than or equal to `emulationVersion`';
const NO_EMULATION =
  "spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'";

it.each<[Partial<LeaseCandidateSpec>, string]>([
  [{}, ''],
  [{ emulationVersion: '1.36.0' }, ''],
  [{ emulationVersion: '1.36.0-alpha.1+b' }, ''],
  [{ strategy: 'example.com/mine', emulationVersion: '' }, ''],
  [{ leaseName: '' }, 'spec.leaseName: Required value'],
  [{ binaryVersion: '' }, 'spec.binaryVersion: Required value'],
  [{ binaryVersion: '1.34.0' }, `spec.binaryVersion: Invalid value: "1.34.0": ${OLDER}`],
  [
    { binaryVersion: 'v1.36.0' },
    `[spec.binaryVersion: Invalid value: "v1.36.0": ${SEMANTIC}, spec.binaryVersion: Invalid value: "v1.36.0": ${OLDER}]`,
  ],
  [{ emulationVersion: '' }, NO_EMULATION],
  [{ emulationVersion: '0.0.0' }, NO_EMULATION],
  [{ emulationVersion: '1.35' }, `[spec.emulationVersion: Invalid value: "1.35": ${SEMANTIC}, ${NO_EMULATION}]`],
  [{ strategy: '' }, 'spec.strategy: Required value'],
  [
    { strategy: 'Mine' },
    'spec.strategy.strategy: Unsupported value: "Mine": supported values: "OldestEmulationVersion"',
  ],
])('%j: %j', (spec, message) => {
  const { validate, validateUpdate } = leaseCandidates.strategy;
  expect(aggregateFieldErrors(validate(testContext(), candidate(spec)))).toBe(message);
  const old = candidate({ leaseName: spec.leaseName ?? 'l' });
  expect(aggregateFieldErrors(validateUpdate(testContext(), candidate(spec), old))).toBe(message);
});

it('may have any key of a ConfigMap as its name, and keeps its lease', () => {
  const { validate, validateUpdate } = leaseCandidates.strategy;
  expect(validate(testContext(), candidate({}, 'Upper_case-'))).toEqual([]);
  expect(aggregateFieldErrors(validate(testContext(), candidate({}, 'a b')))).toMatch(
    /^metadata\.name: Invalid value: "a b"/,
  );
  expect(aggregateFieldErrors(validateUpdate(testContext(), candidate({ leaseName: 'm' }), candidate()))).toBe(
    'spec.leaseName: Invalid value: "m": field is immutable',
  );
});

it('shows its lease and its versions', () => {
  const now = rowTime('2030-01-01T00:01:00Z');
  expect(leaseCandidates.columns.map((column) => column.cell(candidate(), now))).toEqual([
    ...['a', 'l', '1.36.0', '1.35.0', '<unknown>'],
  ]);
});
