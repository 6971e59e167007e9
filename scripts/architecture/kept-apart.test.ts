import { expect, it } from 'vitest';
import { keptApartProblems } from './kept-apart.ts';
import type { Package, Workspace } from './workspace.ts';

const makePackage = (name: string, ...dependencies: string[]): Package => ({
  folder: `packages/${name}`,
  manifest: { name, version: '1.0.0', dependencies: Object.fromEntries(dependencies.map((one) => [one, '1.0.0'])) },
  references: [],
  files: [],
});

function problems(...packages: readonly Package[]): readonly string[] {
  const workspace: Workspace = {
    architecture: {
      scope: '@x',
      packages: [],
      examples: [],
      serverModules: { modules: [], allowedIn: '' },
      keptApart: [{ from: 'heavy', packages: ['sample', 'other'], reason: 'it is heavy' }],
    },
    version: '1.0.0',
    packages,
    rootReferences: [],
    rootDevDependencies: [],
  };
  return keptApartProblems(workspace);
}

it('finds a dependency, also behind another one', () => {
  expect(
    problems(makePackage('sample', 'heavy'), makePackage('other', 'between'), makePackage('between', 'heavy')),
  ).toEqual([
    'architecture.json: sample → heavy: it is heavy',
    'architecture.json: other → between → heavy: it is heavy',
  ]);
});

it('finds nothing in packages that stand alone, or in a cycle', () => {
  expect(
    problems(makePackage('sample', 'between'), makePackage('between', 'sample'), makePackage('third', 'heavy')),
  ).toEqual([]);
});
