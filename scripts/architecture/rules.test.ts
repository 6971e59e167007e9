import { expect, test } from 'vitest';
import { importsOf } from './imports.ts';
import { violationsOf } from './rules.ts';
import type { Manifest, Package, Workspace } from './workspace.ts';

interface Shape {
  readonly manifest?: Partial<Manifest>;
  readonly references?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
}

/** A package @x/NAME in packages/NAME that breaks no rule but those the shape breaks: it loads what it depends on. */
function makePackage(name: string, { manifest = {}, references = [], files }: Shape): Package {
  const loaded = Object.keys(manifest.dependencies ?? {}).map((dependency) => `import '${dependency}';`);
  return {
    folder: `packages/${name}`,
    manifest: {
      name: `@x/${name}`,
      version: '1.0.0',
      type: 'module',
      engines: { node: '>=24' },
      exports: { '.': {}, './testing': {} },
      ...manifest,
    },
    references,
    files: Object.entries(files ?? { 'src/a.ts': loaded.join('\n') }).map(([path, source]) => ({
      path,
      imports: importsOf(source),
    })),
  };
}

/** low (ring 0), mid and peer (ring 1), server (ring 2). */
function makeWorkspace(shapes: Readonly<Record<string, Shape>>): Workspace {
  const rings = { low: 0, mid: 1, peer: 1, server: 2 };
  const packages = Object.entries(rings).map(([name, ring]) => ({
    name: `@x/${name}`,
    ring,
    folder: `packages/${name}`,
  }));
  return {
    architecture: {
      scope: '@x',
      packages,
      examples: [],
      serverModules: { modules: ['node:tls'], allowedIn: '@x/server', otherPrograms: ['packages/mid/src/other.ts'] },
      besideBundles: [{ folder: 'packages/mid/src/beside', reason: 'the entry is a bundle' }],
    },
    version: '1.0.0',
    packages: Object.keys(rings).map((name) => makePackage(name, shapes[name] ?? {})),
    rootReferences: packages.map(({ folder }) => folder),
    rootDevDependencies: ['vitest'],
  };
}

const onLow: Shape = { manifest: { dependencies: { '@x/low': '1.0.0' } }, references: ['packages/low'] };

const cases: ReadonlyArray<{ name: string; shapes: Readonly<Record<string, Shape>>; violations: readonly string[] }> = [
  {
    name: 'nothing wrong',
    shapes: { mid: { ...onLow, files: { 'src/a.ts': `import { a } from '@x/low';` } } },
    violations: [],
  },
  {
    name: 'a higher ring',
    shapes: { low: { manifest: { dependencies: { '@x/mid': '1.0.0' } }, references: ['packages/mid'] } },
    violations: ['packages/low/package.json: ring 0 must not depend on @x/mid of ring 1'],
  },
  {
    name: 'a cycle inside a ring',
    shapes: {
      mid: { manifest: { dependencies: { '@x/peer': '1.0.0' } }, references: ['packages/peer'] },
      peer: { manifest: { dependencies: { '@x/mid': '1.0.0' } }, references: ['packages/mid'] },
    },
    violations: ['cycle: @x/mid → @x/peer → @x/mid'],
  },
  {
    name: 'files that need each other',
    shapes: {
      mid: {
        files: {
          'src/a.ts': `import { b } from './b.js';`,
          'src/b.ts': `import type { A } from './a.js';\nimport { c } from './deep/c.js';`,
          'src/deep/c.ts': `import { D } from '../d.js';`,
          'src/d.ts': `const c = await import('./deep/c.js');`,
        },
      },
    },
    violations: [
      'packages/mid: cycle: src/a.ts → src/b.ts → src/a.ts',
      'packages/mid: cycle: src/deep/c.ts → src/d.ts → src/deep/c.ts',
    ],
  },
  {
    name: 'references that differ from the dependencies',
    shapes: { mid: { ...onLow, references: ['packages/peer'] } },
    violations: [
      'packages/mid/tsconfig.json: a reference to packages/low is missing',
      'packages/mid/tsconfig.json: packages/peer is no dependency of it',
    ],
  },
  {
    name: 'another version',
    shapes: { mid: { ...onLow, manifest: { version: '2.0.0', dependencies: { '@x/low': '^1.0.0' } } } },
    violations: [
      'packages/mid/package.json: version should be 1.0.0',
      'packages/mid/package.json: @x/low should be at 1.0.0',
    ],
  },
  {
    name: 'imports that are undeclared, deep, own, or builtins without node:',
    shapes: {
      mid: {
        ...onLow,
        files: {
          'src/a.ts': [
            `import { a } from '@x/peer';`,
            `import { b } from '@x/low/src/b.js';`,
            `import { c } from '@x/mid';`,
            `import { d } from 'fs';`,
            `import { e } from 'vitest';`,
          ].join('\n'),
          'src/a.test.ts': `import { e } from 'vitest';`,
          'src/beside/a.ts': `import { c } from '@x/mid';`,
        },
      },
    },
    violations: [
      `packages/mid/src/a.ts: '@x/peer' is not among the dependencies in package.json`,
      `packages/mid/src/a.ts: '@x/low/src/b.js' is not in the exports of @x/low`,
      `packages/mid/src/a.ts: '@x/mid' imports its own package by name; use a relative path`,
      `packages/mid/src/a.ts: 'fs' must be written with node:`,
      `packages/mid/src/a.ts: 'vitest' is not among the dependencies in package.json`,
    ],
  },
  {
    name: 'a subpath that a pattern exports',
    shapes: {
      low: { manifest: { exports: { './*': {} } } },
      mid: { ...onLow, files: { 'src/a.ts': `import { a } from '@x/low/core/v1';\nimport { b } from '@x/low';` } },
    },
    violations: [`packages/mid/src/a.ts: '@x/low' is not in the exports of @x/low`],
  },
  {
    name: 'relative imports',
    shapes: {
      mid: { files: { 'src/a.ts': `import '../../low/src/a.js';\nimport './b.ts';\nimport './testing/c.js';` } },
    },
    violations: [
      `packages/mid/src/a.ts: '../../low/src/a.js' leaves the package`,
      `packages/mid/src/a.ts: './b.ts' must end in .js`,
      `packages/mid/src/a.ts: './testing/c.js' brings test code into the product`,
    ],
  },
  {
    name: 'servers outside the one package that opens them',
    shapes: {
      mid: {
        files: {
          'src/a.ts': `import { createServer } from 'node:tls';\nimport tls from 'node:tls';`,
          'src/b.ts': `import { connect } from 'node:tls';\nimport type { Server } from 'node:tls';`,
          'src/a.test.ts': `import { createServer } from 'node:tls';`,
          'src/other.ts': `import { createServer } from 'node:tls';`,
        },
      },
      server: { files: { 'src/a.ts': `import { createServer } from 'node:tls';` } },
    },
    violations: [
      `packages/mid/src/a.ts: 'node:tls' opens a server; only @x/server does`,
      `packages/mid/src/a.ts: 'node:tls' must be imported by names, so that it shows that no server is opened outside @x/server`,
    ],
  },
];

test.each(cases)('$name', ({ shapes, violations }) => {
  expect(violationsOf(makeWorkspace(shapes))).toEqual(violations);
});

test('folders and table that differ', () => {
  const workspace = makeWorkspace({});
  const [first, ...rest] = workspace.architecture.packages;
  const moved = { ...first, name: '@x/low', ring: 0, folder: 'packages/moved' };
  const changed = { ...workspace, architecture: { ...workspace.architecture, packages: [moved, ...rest] } };
  expect(violationsOf(changed)).toEqual([
    'architecture.json: there is no folder packages/moved',
    'packages/low: has no ring in architecture.json',
  ]);
});
