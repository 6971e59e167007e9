import { expect, it } from 'vitest';
import { countTests } from './run-suite.ts';

const specs = `
Summarizing 2 Failures:
  [FAIL] Cache [It] should list
  [PANICKED!] Cache [It] should watch

Ran 9 of 12 Specs in 1.2 seconds
FAIL! -- 7 Passed | 2 Failed | 1 Flaked | 2 Pending | 1 Skipped
`;
const noSpecs = `
  [FAIL] [BeforeSuite]

Ran 0 of 28 Specs in 3.1 seconds
FAIL! -- A BeforeSuite node failed so all tests were skipped.
`;

it.each<[string, Record<string, string>, Record<string, string>, ReturnType<typeof countTests>]>([
  ['nothing that ran', { '': 'fail' }, {}, { passed: 0, failed: ['(the package itself)'], skipped: 0 }],
  [
    'subtests instead of their parents',
    { TestA: 'fail', 'TestA/one': 'pass', 'TestA/two': 'fail', TestB: 'pass', TestC: 'skip', '': 'fail' },
    {},
    { passed: 2, failed: ['TestA/two'], skipped: 1 },
  ],
  [
    'a parent that fails by itself',
    { TestA: 'fail', 'TestA/one': 'pass', '': 'fail' },
    {},
    { passed: 1, failed: ['TestA'], skipped: 0 },
  ],
  [
    'specs instead of the test that runs them',
    { TestCache: 'fail', TestB: 'pass', '': 'fail' },
    { TestCache: specs },
    { passed: 8, failed: ['Cache [It] should list', 'Cache [It] should watch'], skipped: 3 },
  ],
  [
    'specs that did not begin',
    { TestEnv: 'fail', '': 'fail' },
    { TestEnv: noSpecs },
    { passed: 0, failed: Array(28).fill('[BeforeSuite]'), skipped: 0 },
  ],
])('counts %s', (_, ends, outputs, expected) => {
  expect(countTests(new Map(Object.entries(outputs)), new Map(Object.entries(ends)))).toEqual(expected);
});
