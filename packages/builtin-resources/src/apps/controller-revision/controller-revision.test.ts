import type { ControllerRevision } from '@apiserver/api/apps/v1';
import { fieldErrorMessage } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { controllerRevisionStrategy } from './strategy.js';

const context = testContext({ namespace: 'ns' });

const revision = (fields: Partial<ControllerRevision> = {}): ControllerRevision => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name: 'a', namespace: 'ns', resourceVersion: '1' },
  data: {},
  revision: 1n,
  ...fields,
});

const NO_OBJECT = 'data: Required value: data must be a valid JSON object';
const NEGATIVE = 'revision: Invalid value: -1: must be greater than or equal to 0';

it.each<[string, Partial<ControllerRevision>, readonly string[]]>([
  ['an object', { data: { a: 1 } }, []],
  ['null', { data: null }, ['data: Required value: data is mandatory']],
  ['a list', { data: [] }, [NO_OBJECT]],
  ['a text', { data: 'a' }, [NO_OBJECT]],
  ['a number', { data: 0 }, [NO_OBJECT]],
  ['a list and a negative revision', { data: [], revision: -1n }, [NEGATIVE, NO_OBJECT]],
  [
    'an object beside the lowest revision',
    { revision: -(2n ** 63n) },
    ['revision: Invalid value: -9223372036854775808: must be greater than or equal to 0'],
  ],
])('data that is %s', async (_what, fields, faults) => {
  const errors = await controllerRevisionStrategy.validate(context, revision(fields));
  expect(errors.map(fieldErrorMessage)).toEqual(faults);
});

it('keeps stored data that would be refused by now, and validates the rest', async () => {
  const stored = revision({ data: [] });
  const update = async (fields: Partial<ControllerRevision>) => {
    const errors = await controllerRevisionStrategy.validateUpdate(context, revision({ data: [], ...fields }), stored);
    return errors.map(fieldErrorMessage);
  };
  expect([await update({}), await update({ revision: -1n }), await update({ data: {} })]).toEqual([
    [],
    [NEGATIVE],
    ['data: Invalid value: {}: field is immutable'],
  ]);
});
