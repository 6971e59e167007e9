import { expect, it } from 'vitest';
import { importsOf } from './imports.ts';
import { lightEntryProblems } from './light-entries.ts';

const exports = { './errors': { '@apiserver/source': './src/errors/index.ts', default: './dist/errors/index.js' } };

function problemsOf(sources: Readonly<Record<string, string>>): readonly string[] {
  const pkg = (folder: string, files: Readonly<Record<string, string>>) => ({
    folder,
    manifest: { name: `@x/${folder}`, version: '1.0.0', ...(folder === 'low' && { exports }) },
    references: [],
    files: Object.entries(files).map(([path, source]) => ({ path, imports: importsOf(source) })),
  });
  return lightEntryProblems({
    architecture: {
      scope: '@x',
      packages: [],
      examples: [],
      serverModules: { modules: [], allowedIn: '' },
      lightEntries: [{ entries: ['high/src/index.ts'], without: 'low/src/codec', reason: 'heavy' }],
    },
    version: '1.0.0',
    packages: [
      pkg('high', { 'src/index.ts': "import { a } from '@x/low/errors';\n" }),
      pkg('low', { 'src/codec/codec.ts': '', ...sources }),
    ],
    rootReferences: [],
    rootDevDependencies: [],
  });
}

it.each<[string, Readonly<Record<string, string>>, string[]]>([
  [
    'imports nothing of the folder',
    { 'src/errors/index.ts': "export { a } from './a.js';\n", 'src/errors/a.ts': '' },
    [],
  ],
  [
    'imports it through other files',
    {
      'src/errors/index.ts': "export { a } from './a.js';\n",
      'src/errors/a.ts': "import { type T, value } from '../codec/codec.js';\n",
    },
    ['high/src/index.ts → low/src/errors/index.ts → low/src/errors/a.ts → low/src/codec/codec.ts: heavy'],
  ],
  [
    'imports it later, or only types of it',
    {
      'src/errors/index.ts':
        "import type { A } from '../codec/codec.js';\nimport { type B } from '../codec/codec.js';\nconst c = () => import('../codec/codec.js');\n",
    },
    [],
  ],
])('an entry that %s', (_, sources, problems) => expect(problemsOf(sources)).toEqual(problems));

it('reports an entry that does not exist', () => {
  const architecture = {
    scope: '@x',
    packages: [],
    examples: [],
    serverModules: { modules: [], allowedIn: '' },
    lightEntries: [{ entries: ['gone.ts'], without: 'low', reason: 'heavy' }],
  };
  const workspace = { architecture, version: '1', packages: [], rootReferences: [], rootDevDependencies: [] };
  expect(lightEntryProblems(workspace)).toEqual(['gone.ts → (there is no such file): heavy']);
});
