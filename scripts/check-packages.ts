/**
 * Packs every package, installs the tarballs together into an empty folder outside the repository and uses them from
 * there: imports every entry point, compiles the examples of the READMEs, starts the server and does two requests as its
 * administrator. It finds what the repository hides: a missing dependency, of types too, a file left out of the tarball, an
 * entry point that was never built.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CoreV1Api, KubeConfig, VersionApi } from '@kubernetes/client-node';
import type { Manifest } from './architecture/workspace.ts';
import { loadWorkspace } from './architecture/workspace.ts';
import { buildStale, root } from './build-stale.mjs';
import { codeBlocksOf } from './documents/code-blocks.ts';
import { compileBlocks } from './documents/compile-blocks.ts';

const startDeadlineMs = 20_000;
const stopDeadlineMs = 20_000;

function publishedPackages(): Manifest[] {
  const manifests = loadWorkspace(root).packages.map(({ manifest }) => manifest);
  return manifests.filter((manifest) => manifest.private !== true);
}

/** Packs what is to be published; returns the tarballs by package name. */
function pack(folder: string): Record<string, string> {
  mkdirSync(folder);
  const published = publishedPackages();
  const args = ['pack', '--json', '--pack-destination', folder, ...published.map(({ name }) => `--workspace=${name}`)];
  execFileSync('npm', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const file = (name: string, version: string) => `${name.slice(1).replace('/', '-')}-${version}.tgz`;
  return Object.fromEntries(published.map(({ name, version }) => [name, join(folder, file(name, version))]));
}

function install(folder: string, tarballs: Readonly<Record<string, string>>): void {
  mkdirSync(folder);
  const dependencies = Object.fromEntries(Object.entries(tarballs).map(([name, path]) => [name, `file:${path}`]));
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/@types/node/package.json'), 'utf8'));
  const devDependencies = { '@types/node': version };
  const manifest = { name: 'consumer', version: '1.0.0', private: true, type: 'module', dependencies, devDependencies };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  execFileSync('npm', ['install', ...quiet], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Imports every entry point as a user would; those for tests need a test runner, so they only have to resolve. */
function importEntryPoints(folder: string): void {
  const specifiers = publishedPackages().flatMap((manifest) => entryPoints(folder, manifest));
  const lines = specifiers.map((specifier) => {
    const literal = JSON.stringify(specifier);
    return specifier.endsWith('/testing')
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

/** Tests and the compiler's notes are of no use outside the repository. */
function checkContents(folder: string): void {
  for (const { name } of publishedPackages()) {
    const cwd = join(folder, 'node_modules', name);
    const surplus = globSync(['{src,dist}/**/*.test.*', 'dist/**/.tsbuildinfo'], { cwd });
    if (surplus.length > 0) throw new Error(`${name} should not carry ${surplus.join(', ')}`);
  }
}

/** Compiles the examples of the installed READMEs as a user would who has the types of all libraries checked. */
function compileExamples(folder: string): void {
  const readmes = publishedPackages().map(({ name }) => `node_modules/${name}/README.md`);
  const blocks = readmes.flatMap((path) => codeBlocksOf(path, readFileSync(join(folder, path), 'utf8')));
  const faults = compileBlocks(join(folder, 'examples'), blocks, { skipLibCheck: false });
  if (faults.length > 0) throw new Error(`examples that do not compile:\n${faults.join('\n')}`);
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

/** Waits until the kubeconfig is there and the server of which it tells answers. */
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

const code = await buildStale();
if (code !== 0) process.exit(code);
const folder = mkdtempSync(join(tmpdir(), 'apiserver-packages-'));
try {
  const tarballs = pack(join(folder, 'tarballs'));
  const consumer = join(folder, 'consumer');
  install(consumer, tarballs);
  checkContents(consumer);
  importEntryPoints(consumer);
  compileExamples(consumer);
  await useServer(consumer);
  console.log(`${Object.keys(tarballs).length} packages work outside the repository`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
