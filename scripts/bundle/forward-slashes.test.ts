import { win32 } from 'node:path';
import { expect, it } from 'vitest';
import { forwardSlashes } from './forward-slashes.mjs';

it.each([
  ['C:\\repo\\node_modules\\lmdb\\write.js', 'C:/repo/node_modules/lmdb/write.js'],
  [win32.relative('C:\\repo\\dist', 'C:\\repo\\dist\\packages\\x\\y.cjs'), 'packages/x/y.cjs'],
  ['/repo/packages/x/y.ts', '/repo/packages/x/y.ts'],
])('%s', (path, expected) => {
  expect(forwardSlashes(path)).toBe(expected);
});
