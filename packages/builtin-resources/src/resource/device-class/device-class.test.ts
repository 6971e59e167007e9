import type { DeviceClass, DeviceClassSpec } from '@apiserver/api/resource/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { deviceClasses } from './index.js';

const context = testContext({ namespace: '' });
const { strategy, columns } = deviceClasses;

function deviceClass(spec: DeviceClassSpec = {}): DeviceClass {
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceClass',
    metadata: { name: 'gpu', uid: 'u', resourceVersion: '1' },
    spec: structuredClone(spec),
  };
}

const SELECTOR = { cel: { expression: 'true' } };
const opaque = (parameters: object | null) => ({
  opaque: { driver: 'd.example.com', parameters: parameters as never },
});
const LARGE = { a: 'x'.repeat(10 * 1024) };
const [SELECTORS, CONFIG] = ['spec.selectors', 'spec.config'];

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
  [
    'a resource of Kubernetes',
    { extendedResourceName: 'cpu' },
    'spec.extendedResourceName: Invalid value: "cpu": must be a valid extended resource name',
  ],
])('%s', (_what, spec, message) => {
  expect(aggregateFieldErrors(strategy.validate(context, deviceClass(spec)))).toBe(message);
});

it('keeps stored parameters that exceed the current limit', () => {
  const old = deviceClass({ config: [opaque(LARGE)] });
  expect(
    strategy.validateUpdate(context, deviceClass({ config: [opaque(LARGE)], selectors: [SELECTOR] }), old),
  ).toEqual([]);
  const more = deviceClass({ config: [opaque(LARGE), opaque({})] });
  expect(aggregateFieldErrors(strategy.validateUpdate(context, more, old))).toContain('Too long');
});

it('warns that new expressions are not compiled', () => {
  const made = deviceClass({ selectors: [SELECTOR] });
  const warning = `${SELECTORS}[0].cel.expression: not compiled by this server, its mistakes show when devices are allocated`;
  expect(strategy.warningsOnCreate?.(context, made)).toEqual([warning]);
  expect(strategy.warningsOnUpdate?.(context, made, deviceClass())).toEqual([warning]);
  expect(strategy.warningsOnUpdate?.(context, made, made)).toEqual([]);
});

it('increments the generation', () => {
  const made = deviceClass();
  void strategy.prepareForCreate?.(context, made);
  const changed = deviceClass({ selectors: [SELECTOR] });
  void strategy.prepareForUpdate?.(context, changed, made);
  expect([made.metadata.generation, changed.metadata.generation]).toEqual([1, 2]);
});

it('shows its name and age', () => {
  expect(columns.map((column) => column.cell(deviceClass(), new Date(0)))).toEqual(['gpu', '<unknown>']);
});
