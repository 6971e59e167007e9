/**
 * Releases every package with lerna, from a copy of the repository to a registry of this process. Then it installs all
 * of them into an empty folder and uses them: it imports every entry point, compiles the examples of the READMEs,
 * starts a control plane, starts the server and sends two requests as its administrator. It finds faults that the
 * repository hides: a missing dependency, of types too; a file left out of the package; an entry point that was never
 * built; a version that a release would skip.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CoreV1Api, KubeConfig, VersionApi } from '@kubernetes/client-node';
import { loadWorkspace } from './architecture/load-workspace.ts';
import type { Manifest } from './architecture/workspace.ts';
import { buildStale, root } from './build-stale.mjs';
import { codeBlocksOf } from './documents/code-blocks.ts';
import { compileBlocks } from './documents/compile-blocks.ts';
import { runNpm } from './npm/run-npm.mjs';
import { LocalRegistry } from './release/local-registry.ts';
import { trialRelease } from './release/trial-release.ts';

const startDeadlineMs = 20_000;
const stopDeadlineMs = 20_000;
/** For the import of all modules, too. */
const planeDeadlineMs = 60_000;

function publishedPackages(): Manifest[] {
  const manifests = loadWorkspace(root).packages.map(({ manifest }) => manifest);
  return manifests.filter((manifest) => manifest.private !== true);
}

/**
 * Installs what was published, and the types of Node that its types need; the rest comes from where npm gets it here.
 */
async function install(folder: string, registry: LocalRegistry): Promise<void> {
  mkdirSync(folder);
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/@types/node/package.json'), 'utf8'));
  const devDependencies = { '@types/node': version };
  const dependencies = registry.latest;
  const manifest = { name: 'consumer', version: '1.0.0', private: true, type: 'module', dependencies, devDependencies };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, '.npmrc'), `@apiserver:registry=${registry.url}\n`);
  await runNpm(['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'], folder);
}

/** A release publishes every public package, and all under the version that it chose. */
function checkReleased({ latest }: LocalRegistry, version: string): void {
  const wanted = Object.fromEntries(publishedPackages().map(({ name }) => [name, version]));
  assert.deepEqual(latest, wanted, 'the packages of the registry');
}

/** Entry points that import a test runner, which the consumer lacks. */
const needRunner = /\/(?:testing|vitest|jest)$/;

/** Imports every entry point as a user would; those that need a test runner only have to resolve. */
function importEntryPoints(folder: string): void {
  const specifiers = publishedPackages().flatMap((manifest) => entryPoints(folder, manifest));
  const lines = specifiers.map((specifier) => {
    const literal = JSON.stringify(specifier);
    return needRunner.test(specifier)
      ? `accessSync(new URL(import.meta.resolve(${literal})));`
      : `await import(${literal});`;
  });
  writeFileSync(join(folder, 'import-all.js'), ["import { accessSync } from 'node:fs';", ...lines].join('\n'));
  execFileSync(process.execPath, ['import-all.js'], { cwd: folder, stdio: 'inherit' });
}

/** The specifiers of a package's entry points; a pattern stands for every file that it matches. */
function entryPoints(folder: string, { name, exports = {} }: Manifest): string[] {
  return Object.entries(exports).flatMap(([subpath, conditions]) => {
    const target = (conditions as { readonly default: string }).default;
    if (!subpath.includes('*')) return [name + subpath.slice(1)];
    const [before = '', after = ''] = target.slice('./'.length).split('*');
    const files = globSync(`${before}**/*${after}`, { cwd: join(folder, 'node_modules', name) });
    return files.map((path) => name + subpath.slice(1).replace('*', path.slice(before.length, -after.length)));
  });
}

/** Tests and the compiler's notes are of no use outside the repository; the license is, and lerna adds it. */
function checkContents(folder: string): void {
  for (const { name } of publishedPackages()) {
    const cwd = join(folder, 'node_modules', name);
    const surplus = globSync(['{src,dist}/**/*.test.*', 'dist/**/.tsbuildinfo'], { cwd });
    if (surplus.length > 0) throw new Error(`${name} should not carry ${surplus.join(', ')}`);
    if (!existsSync(join(cwd, 'LICENSE'))) throw new Error(`${name} should carry its license`);
  }
}

/** Compiles the examples of the installed READMEs as a user would who has the types of all libraries checked. */
function compileExamples(folder: string): void {
  const readmes = publishedPackages().map(({ name }) => `node_modules/${name}/README.md`);
  const blocks = readmes.flatMap((path) => codeBlocksOf(path, readFileSync(join(folder, path), 'utf8')));
  const faults = compileBlocks(join(folder, 'examples'), blocks, { skipLibCheck: false });
  if (faults.length > 0) throw new Error(`examples that do not compile:\n${faults.join('\n')}`);
}

/**
 * A control plane in a process that has nothing but the package: an object, a user, and the message about client-node.
 */
const planeProgram = `
import assert from 'node:assert/strict';
import { ControlPlaneError, startControlPlane } from '@apiserver/envtest';

await using plane = await startControlPlane({
  objects: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made' }, data: { a: 'b' } },
});
const path = '/api/v1/namespaces/default/configmaps/made';
const { data } = await (await plane.fetch(path)).json();
assert.deepEqual(data, { a: 'b' });
assert.equal((await plane.user('alice').fetch(path)).status, 403);
assert.throws(() => plane.client(class {}), ControlPlaneError);
`;

function usePlane(folder: string): void {
  writeFileSync(join(folder, 'use-plane.js'), planeProgram);
  execFileSync(process.execPath, ['use-plane.js'], { cwd: folder, stdio: 'inherit', timeout: planeDeadlineMs });
}

/** Starts the installed binary, does the requests, stops it. Throws if any of this fails. */
async function useServer(folder: string): Promise<void> {
  const dataDir = join(folder, 'data');
  const args = [
    'node_modules/.bin/kube-apiserver',
    `--data-dir=${dataDir}`,
    '--secure-port=0',
    '--bind-address=127.0.0.1',
  ];
  const server = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(server, 'exit');
  const output: Buffer[] = [];
  server.stdout.on('data', (chunk) => output.push(chunk));
  server.stderr.on('data', (chunk) => output.push(chunk));
  try {
    const config = await whenReady(
      join(dataDir, 'admin.kubeconfig'),
      () => server.exitCode !== null || server.signalCode !== null,
    );
    const { gitVersion } = await config.makeApiClient(VersionApi).getCode();
    const body = { metadata: { name: 'check-packages' }, data: { gitVersion } };
    await config.makeApiClient(CoreV1Api).createNamespacedConfigMap({ namespace: 'default', body });
    server.kill('SIGTERM');
    const [code] = await Promise.race([exited, sleep(stopDeadlineMs, ['no exit'], { ref: false })]);
    if (code !== 0) throw new Error(`the server ended with ${code} after SIGTERM`);
  } catch (error) {
    process.stderr.write(Buffer.concat(output));
    throw error;
  } finally {
    if (server.exitCode === null && server.kill('SIGKILL')) await exited;
  }
}

/** Waits until the kubeconfig is there and the server of which it tells responds. */
async function whenReady(path: string, hasExited: () => boolean): Promise<KubeConfig> {
  const deadline = Date.now() + startDeadlineMs;
  for (;;) {
    if (hasExited()) throw new Error('the server ended before it was ready');
    try {
      const config = new KubeConfig();
      if (!existsSync(path)) throw new Error(`${path} is not there`);
      config.loadFromFile(path);
      await config.makeApiClient(CoreV1Api).readNamespace({ name: 'default' });
      return config;
    } catch (error) {
      if (Date.now() > deadline) throw new Error('the server is not ready', { cause: error });
      await sleep(50);
    }
  }
}

/** Makes the folder, and has the programs started from here use it: lerna leaves the tarball of each package behind. */
function keepTemporaryFilesIn(temporary: string): void {
  mkdirSync(temporary);
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = temporary;
}

const code = await buildStale();
if (code !== 0) process.exit(code);
const folder = mkdtempSync(join(tmpdir(), 'apiserver-packages-'));
const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
// A signal ends the process without the `finally` below.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    removeFolder();
    process.exit(1);
  });
}
keepTemporaryFilesIn(join(folder, 'temporary'));
try {
  await using registry = await LocalRegistry.start();
  const version = await trialRelease(join(folder, 'repository'), registry.url);
  checkReleased(registry, version);
  const consumer = join(folder, 'consumer');
  await install(consumer, registry);
  checkContents(consumer);
  importEntryPoints(consumer);
  compileExamples(consumer);
  usePlane(consumer);
  await useServer(consumer);
  console.log(`${publishedPackages().length} packages are released and work outside the repository`);
} finally {
  removeFolder();
}
