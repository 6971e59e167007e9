import { expect, it } from 'vitest';
import { npmShell } from './npm-shell.js';

it.each<[string | undefined, boolean]>([
  ["'kube-apiserver'", true],
  ['kube-apiserver', true],
  ['kube-apiserver --data-dir=./data > log', true],
  ['MALLOC_ARENA_MAX=1 exec ./node_modules/.bin/kube-apiserver', true],
  [undefined, false],
  ['', false],
  ['vitest run', false],
  ['node kube-apiserver', false],
  ['kube-apiserver &', false],
  ['kube-apiserver; sleep 1', false],
  ['(kube-apiserver)', false],
])('reads the parent of the script %j: %s', (script, expected) => {
  const process = { env: script === undefined ? {} : { npm_lifecycle_script: script }, ppid: 7 };
  expect(npmShell(process, 'kube-apiserver')?.()).toBe(expected ? 7 : undefined);
});
