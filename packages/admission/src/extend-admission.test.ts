import type { AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { beforeEach, expect, it } from 'vitest';
import { createAdmissionChain } from './admission-chain.js';
import { extendAdmission } from './extend-admission.js';
import { testAttributes } from './testing/attributes.js';

const called: string[] = [];
beforeEach(() => {
  called.length = 0;
});

const plugin = (name: string, { isLate = false, fails = false } = {}): AdmissionPlugin => {
  const call = (phase: string): Promise<void> | void => {
    called.push(`${name}.${phase}`);
    if (fails) throw new Error(`${name} refuses`);
    if (isLate) return Promise.resolve();
  };
  return {
    name,
    handles: (operation) => operation === 'CREATE',
    admit: () => call('admit'),
    validate: () => call('validate'),
  };
};

const attributes = testAttributes({ operation: 'CREATE' });

it.each([false, true])('runs plugins behind those of the chain, late: %s', async (isLate) => {
  const chain = extendAdmission(createAdmissionChain([plugin('a', { isLate })]), plugin('b'), plugin('c', { isLate }));
  await chain.admit(attributes);
  await chain.validate(attributes);
  expect(called).toEqual(['a.admit', 'b.admit', 'c.admit', 'a.validate', 'b.validate', 'c.validate']);
  expect(chain.handles('DELETE', attributes.scope)).toBe(false);
});

it('handles what only a further plugin handles, and at once', () => {
  const chain = extendAdmission(createAdmissionChain([]), plugin('b'));
  expect(chain.handles('CREATE', attributes.scope)).toBe(true);
  expect(chain.admit(attributes)).toBeUndefined();
});

it('stops at a refusal of the chain', () => {
  const chain = extendAdmission(createAdmissionChain([plugin('a', { fails: true })]), plugin('b'));
  expect(() => chain.admit(attributes)).toThrow('a refuses');
  expect(called).toEqual(['a.admit']);
});
