/**
 * Holds the Markdown of the repository against the repository: links, paths and tests that it names, its commands, with the
 * flags of the server in them, and its TypeScript, which the compiler reads as a user's. Prints all that is wrong; exit code
 * 1 if anything is.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildStale, root } from './build-stale.mjs';
import { brokenReferences } from './documents/broken-references.ts';
import { codeBlocksOf } from './documents/code-blocks.ts';
import { compileBlocks } from './documents/compile-blocks.ts';
import { faultsOfCommands } from './documents/run-commands.ts';
import { commandsInProse, shellCommandsOf } from './documents/shell-commands.ts';

/** Below node_modules, so that the packages are found from it as from a user's program. */
const folder = join(root, 'node_modules/.cache/documents');

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

const built = await buildStale();
if (built !== 0) process.exit(built);
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
const commands = documents.flatMap((path) => [
  ...shellCommandsOf(path, read(path)),
  ...commandsInProse(path, read(path)),
]);
const faults = [
  ...documents.flatMap((path) =>
    brokenReferences(path, read(path), repository, read).map((reference) => `${path}: ${reference}: there is none`),
  ),
  ...faultsOfCommands(commands),
  ...compileBlocks(folder, blocks, { rootDir: root, customConditions: ['@apiserver/source'] }),
];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else {
  const counts = `${documents.length} documents with ${blocks.length} examples and ${commands.length} commands`;
  console.log(`${counts} agree with the repository`);
}
