import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import { expect, it } from 'vitest';
import { encodeContinueToken } from './continue-token.js';
import { isLegacyExact, type ListPlan, parseRequestedVersion, planList } from './requested-version.js';

type Options = Parameters<typeof planList>[0];

const everything = { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector };
const newest: ListPlan = { kind: 'newest', revision: 0, startKey: '', limit: 0, continuing: false, any: false };
const at = (revision: number, limit = 0): ListPlan => ({ ...newest, kind: 'notOlderThan', revision, limit });
const exactly = (revision: number, limit = 0): ListPlan => ({ ...at(revision, limit), kind: 'exact' });
const token = (revision: number) => encodeContinueToken({ startKey: 'a', revision });
const continued = { ...newest, startKey: 'a', continuing: true };

it.each<[Partial<Options>, isSingle: boolean, ListPlan]>([
  [{}, false, newest],
  [{ resourceVersion: '', limit: 3 }, false, { ...newest, limit: 3 }],
  [{ limit: -1 }, false, newest],
  [{ limit: 3 }, true, newest],
  [{ resourceVersion: '0' }, false, { ...at(0), any: true }],
  [{ resourceVersion: '0', limit: 3 }, false, { ...at(0, 3), any: true }],
  [{ resourceVersion: '5' }, false, at(5)],
  [{ resourceVersion: '5', limit: 3 }, false, exactly(5, 3)],
  [{ resourceVersion: '5', limit: 3 }, true, at(5)],
  [{ resourceVersion: '5', limit: 3, match: 'NotOlderThan' }, false, at(5, 3)],
  [{ resourceVersion: '5', match: 'Exact' }, false, exactly(5)],
  [{ resourceVersion: '5', match: 'Exact', limit: 3 }, true, exactly(5)],
  [{ continue: '', resourceVersion: '5' }, false, at(5)],
  [{ continue: token(7), limit: 3 }, false, { ...continued, kind: 'exact', revision: 7, limit: 3 }],
  [{ continue: token(7), resourceVersion: '0' }, false, { ...continued, kind: 'exact', revision: 7 }],
  [{ continue: token(-1), limit: 3 }, false, { ...continued, limit: 3 }],
])('plans the list of %j, single: %s', (options, isSingle, plan) => {
  expect(planList({ ...everything, ...options }, isSingle)).toEqual(plan);
});

it.each<[Partial<Options>, message: string]>([
  [
    { resourceVersion: 'x' },
    'invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
  ],
  [{ continue: token(7), resourceVersion: '5' }, 'specifying resource version is not allowed when using continue'],
])('refuses the list of %j', (options, message) => {
  expect(() => planList({ ...everything, ...options }, false)).toThrow(
    expect.objectContaining({ status: expect.objectContaining({ code: 400, message }) }),
  );
});

it.each<[Partial<Options>, boolean]>([
  [{ resourceVersion: '5', limit: 3 }, true],
  [{ resourceVersion: '5', limit: 3, match: 'Exact' }, false],
  [{ resourceVersion: '5', limit: 0 }, false],
  [{ resourceVersion: '5' }, false],
  [{ resourceVersion: '0', limit: 3 }, false],
  [{ limit: 3 }, false],
])('takes a limit as a request for the exact version: %j, %s', (options, expected) => {
  expect(isLegacyExact({ ...everything, ...options })).toBe(expected);
});

it.each([
  [undefined, 0],
  ['', 0],
  ['0', 0],
  ['17', 17],
])('reads the version %j', (text, revision) => {
  expect(parseRequestedVersion(text)).toBe(revision);
});

it('refuses a version that is no number with a 500', () => {
  const message = 'resourceVersion: Invalid value: "-1": strconv.ParseUint: parsing "-1": invalid syntax';
  expect(() => parseRequestedVersion('-1')).toThrow(
    expect.objectContaining({ status: expect.objectContaining({ code: 500, message }) }),
  );
});
