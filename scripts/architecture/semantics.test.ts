import { expect, it } from 'vitest';
import { readsSemantics, semanticsProblems } from './semantics.ts';
import type { Workspace } from './workspace.ts';

it.each([
  ['a comparison', `if (scope.codec.schema.semantics === 'structural') return undefined;`, true],
  ['a comparison of a copy', `const { semantics: sort } = schema;`, true],
  ['a comparison of a parameter', `return sort !== 'typed' ? a : b;`, true],
  ['a case', `switch (sort) {\n  case 'structural':\n}`, true],
  ['a table', `return policies[schema.semantics];`, true],
  ['a pattern', `export function of({ semantics }: KindSchema) {}`, true],
  ['a kind', `const kind = { gvk, semantics: 'structural' };`, false],
  ['the member', `readonly semantics: 'typed' | 'structural';`, false],
  ['an import', `import { policyOf } from '../semantics/policies.js';`, false],
  ['a comment', `/** Structural semantics: kept. */\n// Its semantics\nconst a = 1;`, false],
  ['another type', `schema: { type: 'typed' }`, false],
])('%s', (_, source, reads) => {
  expect(readsSemantics(source)).toBe(reads);
});

function problemsOf(files: Readonly<Record<string, string>>, listed: readonly string[]): readonly string[] {
  const workspace: Workspace = {
    architecture: {
      scope: '@x',
      packages: [],
      examples: [],
      serverModules: { modules: [], allowedIn: '' },
      semanticsReaders: listed.map((file) => ({ file, reason: 'it chooses' })),
    },
    version: '1.0.0',
    packages: [
      {
        folder: 'p',
        manifest: { name: '@x/p', version: '1.0.0' },
        references: [],
        files: Object.entries(files).map(([path, source]) => ({
          path,
          imports: [],
          readsSemantics: readsSemantics(source),
        })),
      },
    ],
    rootReferences: [],
    rootDevDependencies: [],
  };
  return semanticsProblems(workspace);
}

const handler = { 'src/handlers/get.ts': `if (schema.semantics === 'typed') cut();` };

it('reports files that look at semantics, except tests and those with a reason', () => {
  const tests = { 'src/handlers/get.test.ts': handler['src/handlers/get.ts'] };
  expect([problemsOf({ ...handler, ...tests }, []), problemsOf(handler, ['p/src/handlers/get.ts'])]).toEqual([
    ['p/src/handlers/get.ts: looks at the semantics of a kind; give its policy object the behaviour'],
    [],
  ]);
});

it('reports reasons that nothing needs any more', () => {
  expect(problemsOf({}, ['p/src/a.ts'])).toEqual(['architecture.json: p/src/a.ts does not look at semantics']);
});
