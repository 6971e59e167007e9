import { expect, it } from 'vitest';
import { readmeProblems } from './readmes.ts';

const packages = [
  { name: '@x/low', ring: 0, folder: 'low' },
  { name: '@x/other', ring: 0, folder: 'other' },
  { name: '@x/high', ring: 2, folder: 'high' },
];

function problemsOf(readme: string | undefined, paths: readonly string[] = []): readonly string[] {
  const dependencies = { '@x/low': '1.0.0', express: '5.0.0' };
  const manifest = { name: '@x/high', version: '1.0.0', dependencies };
  const files = paths.map((path) => ({ path, imports: [] }));
  return readmeProblems({
    architecture: { scope: '@x', packages, examples: [], serverModules: { modules: [], allowedIn: '' } },
    version: '1.0.0',
    packages: [{ folder: 'high', manifest, references: [], files, ...(readme !== undefined && { readme }) }],
    rootReferences: [],
    rootDevDependencies: [],
  });
}

it.each<[string, string | undefined, string[]]>([
  ['has the ring and the dependencies', 'Title\n\nRing 2. It imports `@x/low`.\n\nEnd', []],
  ['does not exist', undefined, []],
  ['has no paragraph', 'Title\n\nRing 1. It imports `@x/low`.', ['high/README.md: a paragraph "Ring 2. …" is missing']],
  [
    'names others',
    'Ring 2. It imports\n`@x/other`.\n\nSee `@x/low`.',
    [
      'high/README.md: its paragraph "Ring 2." lacks @x/low',
      'high/README.md: its paragraph "Ring 2." names @x/other, which is no dependency',
    ],
  ],
])('a README that %s', (_, readme, problems) => expect(problemsOf(readme)).toEqual(problems));

it('compares a table of folders with the folders of src', () => {
  const table =
    '| folder | content |\n| --- | --- |\n| `a/`, `b/` | two |\n| `gone/` | none |\n| `file.ts` | a file |\n';
  expect(
    problemsOf(`Ring 2. It imports \`@x/low\`.\n\n${table}`, ['src/a/x.ts', 'src/b/c/y.ts', 'src/new/z.ts']),
  ).toEqual([
    'high/README.md: its table of folders lacks new/',
    'high/README.md: its table of folders has gone/, which is none',
  ]);
});
