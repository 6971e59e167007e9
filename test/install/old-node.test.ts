import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '../harness/api-server.ts';

interface Manifest {
  readonly name: string;
  readonly engines: { readonly node: string };
  readonly exports: Readonly<Record<string, { readonly default: string }>>;
}

const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8');
const packages = globSync('packages/*/package.json', { cwd: repositoryRoot }).map(
  (path): Manifest & { readonly folder: string } => ({
    ...JSON.parse(read(path)),
    folder: path.slice(0, -'/package.json'.length),
  }),
);
const required = 24;

/** Entry points whose optional peer is not installed here. A program that has the peer gets the message. */
const NEEDS_MISSING: ReadonlySet<string> = new Set(
  existsSync(join(repositoryRoot, 'node_modules/jest-environment-node'))
    ? []
    : [join('packages/envtest/dist/fixtures/jest.js')],
);

/** A Node older than the packages ask for: the one that OLD_NODE names, or the machine's own. */
function findOldNode(): { readonly path: string; readonly version: string } | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const candidates = [process.env['OLD_NODE'] ?? '', ...folders.map((folder) => join(folder, 'node'))];
  return candidates
    .filter((path) => existsSync(path))
    .map((path) => ({
      path,
      version: spawnSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout.trim(),
    }))
    .find(({ version }) => Number.parseInt(version, 10) < required);
}

const old = findOldNode();
const skipped = old === undefined ? ` (skipped: no Node older than ${required} on this machine)` : '';

it('every package asks for the Node that the guards ask for', () => {
  const guard = read('packages/kube-apiserver/bin/required-node.js');
  expect(new Set(packages.map(({ engines }) => engines.node))).toEqual(new Set([`>=${required}`]));
  expect(guard).toContain(`const required = ${required};`);
});

it('no built library has a statement that Node has only since 24', () => {
  const files = globSync('packages/*/dist/**/*.js', { cwd: repositoryRoot, exclude: ['packages/*/dist/bundle/**'] });
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((file) => /(?:^|\()\s*(?:await )?using \w/m.test(read(file)))).toEqual([]);
});

describe.skipIf(old === undefined)(`on a Node that is too old${skipped}`, () => {
  const { path = '', version = '' } = old ?? {};
  const tooOld = (name: string) => `${name} needs Node ${required} or later; this is Node ${version}`;
  const run = (args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(path, args, { cwd: repositoryRoot, encoding: 'utf8' });
    return { status, stdout, stderr };
  };

  it.each([
    ['kube-apiserver', 'packages/kube-apiserver/bin/kube-apiserver.js'],
    ['@apiserver/etcd-launcher', 'packages/etcd-launcher/bin/etcd.js'],
    ['npm start', 'scripts/start.mjs'],
    ['npm run build', 'scripts/build.mjs'],
    ['npm test', 'scripts/test.mjs'],
  ])('%s says so in one line', (name, file) => {
    expect(run([file, '--version'])).toEqual({ status: 1, stdout: '', stderr: `${tooOld(name)}\n` });
  });

  it('a program that imports a library prints one line', () => {
    const args = ['--input-type=module', '-e', "import '@apiserver/generic-server'; console.log('imported');"];
    expect(run(args)).toEqual({ status: 1, stdout: '', stderr: `${tooOld('@apiserver/generic-server')}\n` });
  });

  it('every entry point of every package throws an error with the needed version', { timeout: 120_000 }, () => {
    const entries = packages.flatMap(({ name, folder, exports }) =>
      Object.values(exports).flatMap((conditions) =>
        globSync(join(folder, conditions.default.replace('*', '**/*')), { cwd: repositoryRoot })
          .filter((file) => !NEEDS_MISSING.has(file))
          .map((file) => ({ name, file })),
      ),
    );
    const script = `
      for (const file of ${JSON.stringify(entries.map(({ file }) => `./${file}`))}) {
        await import(file).then(() => console.log('imported'), (error) => console.log(error.message));
      }`;
    const { stdout } = run(['--input-type=module', '-e', script]);
    expect(entries.length).toBeGreaterThan(50);
    expect(stdout.trim().split('\n')).toEqual(entries.map(({ name }) => tooOld(name)));
  });
});
