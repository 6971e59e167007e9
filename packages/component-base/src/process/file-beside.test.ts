import { expect, it } from 'vitest';
import { fileBeside } from './file-beside.js';

it.each([
  [import.meta.url, ['absent.js', 'file-beside.test.ts', 'index.ts'], import.meta.filename],
  [import.meta.url, ['absent.js'], undefined],
  ['data:text/javascript,', ['index.ts'], undefined],
  [undefined, ['index.ts'], undefined],
])('the first file beside %s of %j is %s', (module, names, file) => {
  expect(fileBeside(module, names)).toBe(file);
});
