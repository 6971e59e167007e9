import type { DeviceClass, DeviceClassSpec } from '@apiserver/api/resource/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { TEST_FEATURES } from '../../testing/group-dependencies.js';
import { deviceClasses } from './index.js';

const context = testContext({ namespace: '' });
const { strategy, columns } = deviceClasses(TEST_FEATURES);

function deviceClass(spec: DeviceClassSpec = {}): DeviceClass {
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceClass',
    metadata: { name: 'gpu', uid: 'u', resourceVersion: '1' },
    spec: structuredClone(spec),
  };
}

const SELECTOR = { cel: { expression: 'device.driver == "a" && device.attributes["a"].b' } };
const WRONG = { cel: { expression: 'device.size' } };
/** An expression that visits every combination of domains, one for each variable. */
const loops = (variables: string) =>
  [...variables].reduceRight((inner, variable) => `device.attributes.all(${variable}, ${inner})`, 'true');
const opaque = (parameters: object | null) => ({
  opaque: { driver: 'd.example.com', parameters: parameters as never },
});
const LARGE = { a: 'x'.repeat(10 * 1024) };
/** 10,240 bytes with a text of 10,189. */
const nested = (text: string) => ({ a: [{ é: 2n ** 63n }, text], b: {}, c: [] });
const [SELECTORS, CONFIG] = ['spec.selectors', 'spec.config'];

it.each<[string, DeviceClass['metadata'], string]>([
  ['a name made from an odd one', { name: 'gpu', generateName: 'GPU_' }, ''],
  [
    'a long name',
    { name: 'a'.repeat(254) },
    `metadata.name: Invalid value: "${'a'.repeat(254)}": must be no more than 253 bytes`,
  ],
  [
    'capitals',
    { name: 'GPU-1', generateName: 'GPU-' },
    expect.stringMatching(
      /^metadata\.name: Invalid value: "GPU-1": a lowercase RFC 1123 subdomain must consist of [^"]*$/,
    ),
  ],
])('has %s', async (_what, metadata, message) => {
  const made = { ...deviceClass(), metadata };
  await strategy.prepareForCreate?.(context, made);
  expect(aggregateFieldErrors(strategy.validate(context, made))).toEqual(message);
});

it.each<[string, DeviceClassSpec, string]>([
  ['the smallest', {}, ''],
  ['everything', { selectors: [SELECTOR], config: [opaque({ a: 'b' })], extendedResourceName: 'example.com/gpu' }, ''],
  ['an empty selector', { selectors: [{}] }, `${SELECTORS}[0].cel: Required value`],
  [
    'an expression that is too long',
    { selectors: [{ cel: { expression: 'x'.repeat(10 * 1024 + 1) } }] },
    `${SELECTORS}[0].cel.expression: Too long: may not be more than 10240 bytes`,
  ],
  [
    'too many selectors',
    { selectors: Array.from({ length: 33 }, () => ({})) },
    `${SELECTORS}: Too many: 33: must have at most 32 items`,
  ],
  ['an empty configuration', { config: [{}] }, `${CONFIG}[0].opaque: Required value`],
  ['no parameters', { config: [opaque(null)] }, `${CONFIG}[0].opaque.parameters: Required value`],
  [
    'parameters that are no object',
    { config: [opaque([])] },
    `${CONFIG}[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object`,
  ],
  [
    'parameters that are too long',
    { config: [opaque(LARGE)] },
    `${CONFIG}[0].opaque.parameters: Too long: may not be more than 10240 bytes`,
  ],
  ['the longest parameters', { config: [opaque(nested('x'.repeat(10_189)))] }, ''],
  [
    'parameters of one byte more',
    { config: [opaque(nested('x'.repeat(10_190)))] },
    `${CONFIG}[0].opaque.parameters: Too long: may not be more than 10240 bytes`,
  ],
  [
    'a resource of Kubernetes',
    { extendedResourceName: 'cpu' },
    'spec.extendedResourceName: Invalid value: "cpu": must be a valid extended resource name',
  ],
  [
    'expressions with mistakes',
    { selectors: [WRONG, { cel: { expression: 'device.driver' } }, { cel: { expression: 'int("x") == 1' } }] },
    `[${SELECTORS}[0].cel.expression: Invalid value: "device.size": compilation failed: ERROR: <input>:1:7: undefined field 'size'
 | device.size
 | ......^, ${SELECTORS}[1].cel.expression: Invalid value: "device.driver": must evaluate to bool or the unknown type, not string, ${SELECTORS}[2].cel.expression: Internal error: program instantiation failed: type conversion error from 'string' to 'int']`,
  ],
  [
    'an expression that can cost too much',
    { selectors: [{ cel: { expression: loops('abcd') } }, { cel: { expression: loops('abc') } }], config: [{}] },
    `[${SELECTORS}[0].cel.expression: Forbidden: too complex, exceeds cost limit, ${CONFIG}[0].opaque: Required value]`,
  ],
])('%s', async (_what, spec, message) => {
  const made = deviceClass(spec);
  await strategy.prepareForCreate?.(context, made);
  expect(aggregateFieldErrors(strategy.validate(context, made))).toBe(message);
});

async function updateErrors(changed: DeviceClass, old: DeviceClass): Promise<string> {
  await strategy.prepareForUpdate?.(context, changed, old);
  return aggregateFieldErrors(strategy.validateUpdate(context, changed, old));
}

it('keeps stored parameters that exceed the current limit', async () => {
  const old = deviceClass({ config: [opaque(LARGE)] });
  expect(await updateErrors(deviceClass({ config: [opaque(LARGE)], selectors: [SELECTOR] }), old)).toBe('');
  const more = deviceClass({ config: [opaque(LARGE), opaque({})] });
  expect(aggregateFieldErrors(strategy.validateUpdate(context, more, old))).toContain('Too long');
});

it('compiles new selectors only', async () => {
  const stored = deviceClass({ selectors: [WRONG, SELECTOR] });
  expect(await updateErrors(deviceClass({ selectors: [WRONG, SELECTOR], config: [opaque({})] }), stored)).toBe('');
  expect(await updateErrors(deviceClass({ selectors: [SELECTOR, WRONG] }), stored)).toContain(
    `${SELECTORS}[1].cel.expression: Invalid value: "device.size": compilation failed: ERROR: <input>:1:7: undefined field 'size'`,
  );
});

it('keeps the limit of stored expressions', async () => {
  const stored = deviceClass({ selectors: [{ cel: { expression: 'x'.repeat(10 * 1024 + 1) } }] });
  expect(await updateErrors(structuredClone(stored), stored)).toContain('Too long');
});

it('prepares a class without selectors at once', () => {
  expect(strategy.prepareForCreate?.(context, deviceClass())).toBeUndefined();
  expect(strategy.prepareForUpdate?.(context, deviceClass(), deviceClass())).toBeUndefined();
});

it('increments the generation', async () => {
  const made = deviceClass();
  await strategy.prepareForCreate?.(context, made);
  const changed = deviceClass({ selectors: [SELECTOR] });
  await strategy.prepareForUpdate?.(context, changed, made);
  expect([made.metadata.generation, changed.metadata.generation]).toEqual([1, 2]);
});

it('shows its name and age', () => {
  expect(columns.map((column) => column.cell(deviceClass(), rowTime(0)))).toEqual(['gpu', '<unknown>']);
});
