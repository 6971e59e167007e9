import { expect, it } from 'vitest';
import { validateScaleSpec, validateScaleStatus } from './scale-paths.js';

const paths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.sel',
};
const messages = (errors: ReturnType<typeof validateScaleSpec>) =>
  errors.map(({ field, badValue, detail }) => [field, badValue, detail]);
const AT = '.spec.replicas';

it.each<[string, unknown, readonly unknown[]]>([
  ['an integer', { replicas: 3 }, []],
  ['none', {}, []],
  ['no parent', undefined, []],
  ['a parent that is null', null, []],
  [
    'a parent that is a list',
    [1, { a: ['x', null] }],
    [
      [
        AT,
        0,
        `${AT} accessor error: [1 map[a:[x <nil>]]] is of the type []interface {}, expected map[string]interface{}`,
      ],
    ],
  ],
  [
    'a parent that is a text',
    'x',
    [[AT, 0, `${AT} accessor error: x is of the type string, expected map[string]interface{}`]],
  ],
  [
    'an object',
    { replicas: {} },
    [[AT, 0, `${AT} accessor error: map[] is of the type map[string]interface {}, expected int64`]],
  ],
  ['null', { replicas: null }, [[AT, 0, `${AT} accessor error: <nil> is of the type <nil>, expected int64`]]],
  ['a negative integer', { replicas: -1 }, [[AT, -1, 'should be a non-negative integer']]],
  [
    'an integer beyond 53 bits',
    { replicas: 9_007_199_254_740_993n },
    [[AT, 9_007_199_254_740_993n, 'should be less than or equal to 2147483647']],
  ],
  [
    'an integer beyond 64 bits',
    { replicas: 10n ** 20n },
    [[AT, 0, `${AT} accessor error: 1e+20 is of the type float64, expected int64`]],
  ],
])('replicas that are %s', (_what, spec, expected) => {
  expect(messages(validateScaleSpec(spec === undefined ? {} : { spec }, paths))).toEqual(expected);
});

it('a selector that is no text', () => {
  const detail = '.status.sel accessor error: 1 is of the type int64, expected string';
  expect(messages(validateScaleStatus({ status: { sel: 1 } }, paths))).toEqual([['.status.sel', '', detail]]);
});
