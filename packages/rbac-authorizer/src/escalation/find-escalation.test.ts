import type { PolicyRule } from '@apiserver/api/rbac/v1';
import { expect, it } from 'vitest';
import { testLogger, testRule, testUser } from '../testing/index.js';
import { findEscalation } from './find-escalation.js';

const get = testRule('get', [''], 'pods');

/** The reason of a refusal, and the log, if the user has the rule `get` and the look-up of the user's other rules failed. */
async function found(rules: PolicyRule[], errors: readonly string[], verbosity = 1) {
  const logger = testLogger(verbosity);
  const resolver = {
    roleReferenceRules: () => [],
    rulesFor: () => ({ rules: [get], errors: errors.map((message) => new Error(message)) }),
  };
  const reason = await findEscalation({ resolver, user: testUser('bob', 'devs'), namespace: 'ns', rules, logger });
  return { reason, lines: logger.lines, fields: logger.fields };
}

const missing =
  'user "bob" (groups=["devs"]) is attempting to grant RBAC permissions not currently held:\n' +
  '{APIGroups:[""], Resources:["pods"], Verbs:["list"]}';

it('finds nothing if the user has the rules, whatever else failed', async () => {
  expect(await found([get], [])).toEqual({ reason: undefined, lines: [], fields: [] });
  expect((await found([get], ['gone'])).reason).toBeUndefined();
});

it('logs the failures of the look-up once', async () => {
  const lines = ['Non-fatal error getting local rules'];
  const fields = [{ user: 'bob', error: '[gone, lost]' }];
  expect(await found([get], ['gone', 'lost', 'gone'])).toEqual({ reason: undefined, lines, fields });
  expect((await found([get], ['gone'], 0)).lines).toEqual([]);
});

it('adds the failures of the look-up to what is missing', async () => {
  const list = testRule('list', [''], 'pods');
  expect((await found([list], [])).reason).toBe(missing);
  expect((await found([list], ['gone'])).reason).toBe(`${missing}; resolution errors: [gone]`);
  expect((await found([list], ['gone', 'lost'])).reason).toBe(`${missing}; resolution errors: [[gone, lost]]`);
});

it.each([
  [1_000, []],
  [1_001, ['and 1 more']],
])('lists up to 1000 of %d rules, sorted', async (count, notes) => {
  const names = Array.from({ length: count }, (_, index) => `n${index}`);
  const { reason = '' } = await found([testRule('list', [''], 'pods', names.join(' '))], []);
  const lines = reason.split('\n').slice(1);
  const rules = lines.slice(0, 1_000);
  expect([rules.length, rules, lines.slice(1_000)]).toEqual([1_000, rules.toSorted(), notes]);
});

it('lists rules until their text has 256 KiB', async () => {
  // 262144 = 2 * 131072: the second line reaches the limit, or is one short of it.
  const line = (name: string) => `{APIGroups:[""], Resources:["pods"], ResourceNames:["${name}"], Verbs:["list"]}`;
  const name = (letter: string, length: number) => letter.repeat(length - line('').length);
  const counted = async (second: number) => {
    const names = [name('a', 131_072), name('b', second), 'c', 'd'];
    const { reason = '' } = await found([testRule('list', [''], 'pods', names.join(' '))], []);
    const [, ...lines] = reason.split('\n');
    return [lines.length, lines.at(-1)];
  };
  expect(await counted(131_072)).toEqual([3, 'and 2 more']);
  expect(await counted(131_071)).toEqual([4, 'and 1 more']);
});
