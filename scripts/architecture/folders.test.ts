import { expect, it } from 'vitest';
import { folderProblems, MAX_FILES } from './folders.ts';
import { importsOf } from './imports.ts';
import type { Workspace } from './workspace.ts';

function problemsOf(
  files: Readonly<Record<string, string>>,
  mutualFolders: NonNullable<Workspace['architecture']['mutualFolders']> = [],
): readonly string[] {
  return folderProblems(workspaceOf(files, mutualFolders));
}

function workspaceOf(
  files: Readonly<Record<string, string>>,
  mutualFolders: NonNullable<Workspace['architecture']['mutualFolders']> = [],
): Workspace {
  return {
    architecture: {
      scope: '@x',
      packages: [],
      examples: [],
      serverModules: { modules: [], allowedIn: '' },
      mutualFolders,
    },
    version: '1.0.0',
    packages: [
      {
        folder: 'p',
        manifest: { name: '@x/p', version: '1.0.0' },
        references: [],
        files: Object.entries(files).map(([path, source]) => ({ path, imports: importsOf(source) })),
      },
    ],
    rootReferences: [],
    rootDevDependencies: [],
  };
}

const knot = {
  'src/a/one.ts': `import { two } from '../b/deep/two.js';`,
  'src/b/three.ts': `import type { Four } from '../a/inner/four.js';`,
};
const pair = ['p/src/a', 'p/src/b'] as const;

it.each([
  ['one way', { 'src/a/one.ts': `import { two } from '../b/two.js';` }, []],
  [
    'both ways',
    knot,
    ['p/src/a ↔ p/src/b: import each other, the second the first by src/b/three.ts → src/a/inner/four.js'],
  ],
  [
    'a folder and those inside it',
    {
      'src/index.ts': `export { one } from './a/one.js';`,
      'src/a/one.ts': `import { two } from '../two.js';\nimport { three } from './b/three.js';`,
      'src/a/b/three.ts': `import { one } from '../one.js';`,
    },
    [],
  ],
  ['tests', { ...knot, 'src/b/three.ts': '', 'src/b/three.test.ts': `import '../a/one.js';` }, []],
  [
    'too many files',
    Object.fromEntries(Array.from({ length: MAX_FILES + 1 }, (_, i) => [`src/a/f${i}.ts`, ''])),
    [`p/src/a: has ${MAX_FILES + 1} files, ${MAX_FILES} are the most`],
  ],
])('%s', (_, files, problems) => {
  expect(problemsOf(files)).toEqual(problems);
});

it('passes over pairs with a reason, and reports those that are none', () => {
  const listed = [{ folders: pair, reason: 'one is being taken apart' }];
  expect([problemsOf(knot, listed), problemsOf({}, listed)]).toEqual([
    [],
    ['architecture.json: p/src/a ↔ p/src/b do not import each other'],
  ]);
});

it('counts programs outside the packages as well, but no tests', () => {
  const files = (ending: string) => Array.from({ length: MAX_FILES + 1 }, (_, i) => `scripts/f${i}${ending}`);
  const problemsWith = (programs: readonly string[]) => folderProblems({ ...workspaceOf({}), programs });
  expect(problemsWith(files('.mjs'))).toEqual([`scripts: has ${MAX_FILES + 1} files, ${MAX_FILES} are the most`]);
  expect(problemsWith(files('.test.ts'))).toEqual([]);
});
