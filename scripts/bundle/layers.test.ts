import { expect, it } from 'vitest';
import { checkSizes, inLayers } from './layers.mjs';

it('divides a group by rings, with libraries in its lowest file, and leaves other groups whole', () => {
  const modules = [
    '/r/node_modules/express/index.js',
    '/r/packages/apimachinery/src/index.ts',
    '/r/packages/registry-store/src/index.ts',
    'C:\\r\\packages\\kube-apiserver\\src\\main.ts',
  ];
  const grouped = new Map(modules.map((id) => [id, 'server']));
  grouped.set('/r/packages/cel/src/index.ts', 'later');
  const layered = inLayers([{ name: 'server', layers: [1, 2] }, { name: 'other' }], grouped);
  expect([...layered.values()]).toEqual(['server-1', 'server-1', 'server-2', 'server', 'later']);
});

it('names a file that is too large to be in the heap', () => {
  checkSizes([{ fileName: 'a.cjs', code: 'x'.repeat(1_000_000) }]);
  const large = [{ fileName: 'b.cjs', code: 'x'.repeat(1_031_914) }];
  expect(() => checkSizes(large)).toThrow('b.cjs has 1031914 bytes: give its group more layers');
});
