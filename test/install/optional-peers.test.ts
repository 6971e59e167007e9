import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '../harness/api-server.ts';

interface Manifest {
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const manifests = globSync('packages/*/package.json', { cwd: repositoryRoot }).map(
  (path): Manifest => JSON.parse(readFileSync(join(repositoryRoot, path), 'utf8')),
);

/** The oldest versions that were tried. npm installs no package beside a version that one of its optional peers excludes. */
const oldest = {
  '@kubernetes/client-node': '>=1.0.0',
  'fast-check': '>=3.0.0',
  'jest-environment-node': '>=29.0.0',
  vitest: '>=3.2.0',
};

it('all packages accept the same versions of what a project may have already', () => {
  const ranges = new Set(
    manifests.flatMap(({ peerDependencies = {} }) =>
      Object.entries(peerDependencies).map(([name, range]) => `${name} ${range}`),
    ),
  );
  expect([...ranges].filter((range) => !/^@(?:apiserver|grpc|opentelemetry)\//.test(range)).sort()).toEqual(
    Object.entries(oldest).map(([name, range]) => `${name} ${range}`),
  );
  // Other libraries of a program pin these.
  expect([...ranges].filter((range) => /^@(?:grpc|opentelemetry)\//.test(range) && !range.endsWith(' *'))).toEqual([]);
});

it('every peer is optional', () => {
  const required = manifests.flatMap(({ peerDependencies = {}, peerDependenciesMeta = {} }) =>
    Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true),
  );
  expect(required).toEqual([]);
});
