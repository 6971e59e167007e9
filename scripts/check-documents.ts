/**
 * Holds the Markdown of the repository against the repository: links, paths, commands and tests that it names, and its
 * TypeScript, which the compiler reads as a user's. Prints all that is wrong; exit code 1 if anything is.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './build-stale.mjs';
import { brokenReferences } from './documents/broken-references.ts';
import { type CodeBlock, codeBlocksOf, faultsOf } from './documents/code-blocks.ts';

/** Below node_modules, so that the packages are found from it as from a user's program. */
const folder = join(root, 'node_modules/.cache/documents');

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Compiles the blocks, each as a module of its own; returns what is wrong in them. */
function compile(blocks: readonly CodeBlock[]): string[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const named = new Map(blocks.map((block, i) => [`block-${i}.ts`, block]));
  for (const [name, { code }] of named) writeFileSync(join(folder, name), code);
  const options = {
    rootDir: root,
    noEmit: true,
    composite: false,
    incremental: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
  };
  const config = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: { ...options, customConditions: ['@apiserver/source'] },
    include: ['*.ts'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', '.', '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return faultsOf(stdout, named);
}

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)));
const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
const documents = files.filter((path) => path.endsWith('.md'));
const repository = { files, scripts: Object.keys(scripts) };
const blocks = documents.filter((path) => path.endsWith('README.md')).flatMap((path) => codeBlocksOf(path, read(path)));
const faults = [
  ...documents.flatMap((path) =>
    brokenReferences(path, read(path), repository, read).map((reference) => `${path}: ${reference}: there is none`),
  ),
  ...compile(blocks),
];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else console.log(`${documents.length} documents with ${blocks.length} examples agree with the repository`);
