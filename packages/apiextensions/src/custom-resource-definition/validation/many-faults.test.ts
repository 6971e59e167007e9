import { FieldPath } from '@apiserver/apimachinery/field';
import { expect, it } from 'vitest';
import { validateSchema } from './validate-schema.js';
import { validateStructural } from './validate-structural.js';

/** More than the maximum number of arguments of a call. */
const MANY = 200_000;
const properties = Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`p${i}`, { $ref: 'x' }]));
const at = FieldPath.of('spec');

const matchAny = () => Object.assign(() => true, { cost: 0 });

it.each([
  ['a schema', () => validateSchema({ type: 'object', properties }, at, new Set())],
  ['its structure', () => validateStructural({ type: 'object', properties }, at, matchAny)],
])('%s may have any number of faults', (_what, faults) => {
  expect(faults().length).toBeGreaterThanOrEqual(MANY);
});
