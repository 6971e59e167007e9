import { expect, test } from 'vitest';
import { dependencyProblems } from './dependencies.ts';
import { importsOf } from './imports.ts';
import type { Manifest, Workspace } from './workspace.ts';

const exports = {
  '.': { '@apiserver/source': './src/index.ts' },
  './testing': { '@apiserver/source': './src/testing/index.ts' },
};

function problemsOf(manifest: Partial<Manifest>, files: Readonly<Record<string, string>>): readonly string[] {
  const workspace: Workspace = {
    architecture: { scope: '@x', packages: [], examples: [], serverModules: { modules: [], allowedIn: '' } },
    version: '1.0.0',
    packages: [
      {
        folder: 'p',
        manifest: { name: '@x/p', version: '1.0.0', exports, ...manifest },
        references: [],
        files: Object.entries(files).map(([path, source]) => ({ path, imports: importsOf(source) })),
      },
    ],
    rootReferences: [],
    rootDevDependencies: ['vitest'],
  };
  return dependencyProblems(workspace);
}

test.each([
  [
    'what is loaded, directly, later or for its types',
    { dependencies: { a: '1', '@x/b': '1', c: '1', '@types/d': '1' } },
    {
      'src/index.ts': `import { a } from 'a/sub';\nimport { b } from '@x/b';\nimport 'node:fs';`,
      'src/later.ts': `const c = await import('c');`,
    },
    [],
  ],
  [
    'what only tests load',
    { dependencies: { a: '1', b: '1' } },
    { 'src/index.ts': `import 'a';`, 'src/b.test.ts': `import 'b';` },
    ['p/package.json: b is a dependency that nothing but tests loads'],
  ],
  [
    'what only the bundle of a program loads',
    { bin: { p: './p.js' }, dependencies: { native: '1', '@x/b': '1' } },
    { 'src/index.ts': '' },
    ['p/package.json: @x/b is a dependency that nothing but tests loads'],
  ],
  [
    'what an entry point leads to',
    { dependencies: { a: '1' }, peerDependencies: { vitest: '1' }, devDependencies: { c: '1' } },
    {
      'src/index.ts': `import 'a';`,
      'src/testing/index.ts': `export { suite } from './suite.js';`,
      'src/testing/suite.ts': `import { it } from 'vitest';\nimport { c } from 'c';\nimport { p } from '@x/p';`,
      'src/testing/own.ts': `import 'only-ours';`,
    },
    ['p/package.json: c is loaded by an entry point'],
  ],
])('%s', (_, manifest, files, problems) => {
  expect(problemsOf(manifest, files)).toEqual(problems);
});
