import { LimitRange, type LimitRangeItem } from '@apiserver/api/core/v1';
import { compileKind } from '@apiserver/apimachinery/codec';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { applyLimitRangeDefaults } from './defaults.js';
import { limitRanges } from './index.js';

const context = testContext();

function limitRange(...limits: LimitRangeItem[]): LimitRange {
  return { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'a', namespace: 'ns' }, spec: { limits } };
}

const cpuOf = (cpu: string) => ({ cpu });

it.each<[LimitRangeItem, string]>([
  [{ type: 'Container', min: cpuOf('1'), defaultRequest: cpuOf('2'), default: cpuOf('3'), max: cpuOf('4') }, ''],
  [{ type: 'example.com/x', max: { storage: '1' } }, ''],
  [{ type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }, ''],
  [{ type: 'x' }, 'type: Invalid value: "x": must be a standard limit type or fully qualified'],
  [
    { type: 'Pod', default: cpuOf('1'), defaultRequest: cpuOf('1') },
    "[default: Forbidden: may not be specified when `type` is 'Pod', defaultRequest: Forbidden: may not be specified when `type` is 'Pod']",
  ],
  [
    { type: 'PersistentVolumeClaim' },
    'limits: Required value: either minimum or maximum storage value is required, but neither was provided',
  ],
  [
    { type: 'Pod', max: { storage: '1' } },
    'max[storage]: Invalid value: "storage": must be a standard resource for containers',
  ],
  [
    { type: 'Pod', min: cpuOf('2'), max: cpuOf('1') },
    'min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
  ],
  [
    { type: 'Container', min: cpuOf('2'), defaultRequest: cpuOf('1') },
    'defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1',
  ],
  [
    { type: 'Container', defaultRequest: cpuOf('2'), max: cpuOf('1') },
    'defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than max value 1',
  ],
  [
    { type: 'Container', defaultRequest: cpuOf('2'), default: cpuOf('1') },
    'defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than default limit value 1',
  ],
  [
    { type: 'Container', default: cpuOf('1'), min: cpuOf('2') },
    'default[cpu]: Invalid value: "2": min value 2 is greater than default value 1',
  ],
  [
    { type: 'Container', default: cpuOf('2'), max: cpuOf('1') },
    'default[cpu]: Invalid value: "1": default value 2 is greater than max value 1',
  ],
  [
    { type: 'Container', maxLimitRequestRatio: cpuOf('500m') },
    'maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1',
  ],
  [
    { type: 'Container', min: cpuOf('2'), max: cpuOf('3'), maxLimitRequestRatio: cpuOf('2') },
    'maxLimitRequestRatio[cpu]: Invalid value: "2": ratio 2 is greater than max/min = 1.500000',
  ],
  [
    { type: 'Container', min: cpuOf('128'), max: cpuOf('129'), maxLimitRequestRatio: cpuOf('2') },
    'maxLimitRequestRatio[cpu]: Invalid value: "2": ratio 2 is greater than max/min = 1.007812',
  ],
  [
    { type: 'Container', default: { 'example.com/gpu': '2' }, defaultRequest: { 'example.com/gpu': '1' } },
    'defaultRequest[example.com/gpu]: Invalid value: "1": default value 2 must equal to defaultRequest value 1 in example.com/gpu',
  ],
])('%j: %j', (item, message) => {
  const placed = message.replace(/^\[?|(?<=, )(?=[a-zA-Z]+: F)/g, (at) => `${at}spec.limits[0].`);
  const errors = limitRanges.strategy.validate(context, limitRange(item));
  expect(aggregateFieldErrors(errors)).toBe(message === '' ? '' : placed);
});

it('allows one item per type', () => {
  const errors = limitRanges.strategy.validateUpdate(
    context,
    limitRange({ type: 'Pod' }, { type: 'Pod' }),
    limitRange(),
  );
  expect(aggregateFieldErrors(errors)).toBe('spec.limits[1].type: Duplicate value: "Pod"');
});

it('sets the defaults of containers', () => {
  const item: LimitRangeItem = {
    type: 'Container',
    max: { cpu: '4', memory: '1Gi' },
    default: cpuOf('2'),
    min: { 'ephemeral-storage': '1' },
  };
  const pod: LimitRangeItem = { type: 'Pod', max: cpuOf('4') };
  const draft = limitRange(item, pod, { type: 'Container' });
  limitRanges.versions[0]?.applyDefaults?.(draft);
  expect(draft.spec.limits).toEqual([
    {
      ...item,
      default: { cpu: '2', memory: '1Gi' },
      defaultRequest: { cpu: '2', memory: '1Gi', 'ephemeral-storage': '1' },
    },
    pod,
    { type: 'Container' },
  ]);
});

it('rounds amounts up to thousandths', () => {
  const odd: LimitRangeItem = { type: 'Pod', max: cpuOf('1u'), min: cpuOf('1n'), maxLimitRequestRatio: cpuOf('1500u') };
  const draft = limitRange(odd);
  limitRanges.versions[0]?.applyDefaults?.(draft);
  expect(draft.spec.limits).toEqual([
    { type: 'Pod', max: cpuOf('1m'), min: cpuOf('1m'), maxLimitRequestRatio: cpuOf('2m') },
  ]);
});

it('gets a name if it has none', async () => {
  const unnamed = limitRange();
  delete unnamed.metadata.name;
  await limitRanges.strategy.prepareForCreate?.(context, unnamed);
  expect(unnamed.metadata.name).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});

it.each([
  ['Container', []],
  ['Pod', ['default', 'defaultRequest']],
])('keeps empty amounts only where no default makes them: %s', (type, kept) => {
  const sent = { ...limitRange({ type, default: {}, defaultRequest: {} }) };
  const { object } = compileKind(LimitRange).decodeJson(Buffer.from(JSON.stringify(sent)), 'Strict');
  applyLimitRangeDefaults(object as LimitRange);
  expect(Object.keys((object as LimitRange).spec.limits?.[0] ?? {})).toEqual(['type', ...kept]);
});
