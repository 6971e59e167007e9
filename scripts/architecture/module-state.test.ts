import { expect, it } from 'vitest';
import { moduleStateOf, moduleStateProblems } from './module-state.ts';

it.each([
  ['a variable', 'let kept: Buffer | undefined;', ['kept']],
  ['an exported variable', 'export let count = 0;', ['count']],
  ['a map', 'const known = new Map<string, number>();', ['known']],
  ['a map of a declared type', 'const known: Map<string, number> = new Map();', ['known']],
  ['an untyped set', "const UNITS = new Set(['s', 'm']);", ['UNITS']],
  ['a list', 'const planes: Uint8Array[] = [];', ['planes']],
  ['an object', 'const byName: Record<string, number> = {};', ['byName']],
  [
    'a static field',
    'class A {\n  static count = 0;\n  static #last: A | undefined = undefined;\n}',
    ['count', '#last'],
  ],
  ['a read-only map', 'const UNITS: ReadonlyMap<string, number> = new Map([]);', []],
  ['a read-only list', 'const NOTHING: readonly string[] = [];', []],
  ['facts about objects', 'const compiled = new WeakMap<Schema, Codec>();', []],
  ['a local variable', 'function f() {\n  let i = 0;\n  const seen = new Set();\n}', []],
  ['a static method, and a constant', 'class A {\n  static of(): A {}\n  static readonly NONE = new A();\n}', []],
])('%s', (_, source, names) => {
  expect(moduleStateOf(source)).toEqual(names);
});

function problemsOf(path: string, ring: number, variables: readonly string[] = []): readonly string[] {
  return moduleStateProblems({
    architecture: {
      scope: '@x',
      packages: [{ name: '@x/p', ring, folder: 'p' }],
      examples: [],
      serverModules: { modules: [], allowedIn: '' },
      moduleState: variables.map((variable) => ({ variable, reason: 'memory' })),
    },
    version: '1.0.0',
    packages: [
      {
        folder: 'p',
        manifest: { name: '@x/p', version: '1.0.0' },
        references: [],
        files: [{ path, imports: [], moduleState: ['kept'] }],
      },
    ],
    rootReferences: [],
    rootDevDependencies: [],
  });
}

it('reports state in rings 0 and 1, except in tests, or with a reason', () => {
  const problem = 'p/src/a.ts#kept: is state of the process; an object that a server owns should have it';
  expect([problemsOf('src/a.ts', 0), problemsOf('src/a.ts', 1), problemsOf('src/a.ts', 2)]).toEqual([
    [problem],
    [problem],
    [],
  ]);
  expect([problemsOf('src/a.test.ts', 0), problemsOf('src/a.ts', 0, ['p/src/a.ts#kept'])]).toEqual([[], []]);
});

it('reports reasons that nothing needs any more', () => {
  const variables = ['p/src/a.ts#kept', 'p/src/b.ts#gone'];
  expect(problemsOf('src/a.ts', 0, variables)).toEqual(['architecture.json: there is no state p/src/b.ts#gone']);
});
