/**
 * Compares the Markdown of the repository with the repository: links, paths, names, tests, commands with the server's
 * flags, quotations of files, lists of documents, and TypeScript, which is compiled as a user's. Prints every fault; exit code
 * 1 if there is one. With `--quote` it first writes the examples of the guides and the page about flags again.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildStale, root } from './build-stale.mjs';
import { brokenReferences } from './documents/broken-references.ts';
import { codeBlocksOf } from './documents/code-blocks.ts';
import { compileBlocks } from './documents/compile-blocks.ts';
import { flagsDocument } from './documents/flags-document.ts';
import { staleQuotations, withFreshQuotations, withoutQuotations } from './documents/quotations.ts';
import { faultsOfCommands } from './documents/run-commands.ts';
import { commandsInProse, shellCommandsOf } from './documents/shell-commands.ts';
import { namesIn, unknownNames } from './documents/unknown-names.ts';
import { unlistedDocuments } from './documents/unlisted-documents.ts';

/** Below node_modules, so that the packages are found from it as from a user's program. */
const folder = join(root, 'node_modules/.cache/documents');

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function readIfThere(path: string): string | undefined {
  return existsSync(join(root, path)) ? read(path) : undefined;
}

/** Documents about the past or about programs of others, whose names need not be here. */
const ABOUT_OTHERS = /^(?:CHANGELOG\.md|docs\/(?:comparisons\.md|decisions\/)|test\/envtest\/README\.md)|\/api\.md$/;
const PROGRAM = /\.(?:[cm]?[jt]s|go|java|json|proto|py|ya?ml)$/;
/** Names of other programs: options of bundlers and frameworks, and a function of upstream. */
const NAMES_OF_OTHERS = ['inlineDynamicImports', 'RunTest', 'serverExternalPackages'];

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
// Built by now; its types are those of the sources.
const { KubeApiserverOptions } = await import('@apiserver/kube-apiserver');
const flags = flagsDocument(new KubeApiserverOptions().flagSets());
if (process.argv.includes('--quote')) {
  writeFileSync(join(root, 'docs/flags.md'), flags);
  for (const path of documents) writeFileSync(join(root, path), withFreshQuotations(read(path), readIfThere));
}
const repository = { files, scripts: Object.keys(scripts) };
const programs = files.filter((path) => PROGRAM.test(path) && !path.startsWith('scripts/'));
const names = new Set([...NAMES_OF_OTHERS, ...programs.flatMap((path) => namesIn(read(path)))]);
const withNames = documents.filter((path) => !ABOUT_OTHERS.test(path));
const withExamples = documents.filter((path) => path.endsWith('README.md') || path.startsWith('docs/'));
const blocks = withExamples.flatMap((path) => codeBlocksOf(path, withoutQuotations(read(path))));
const commands = documents.flatMap((path) => [
  ...shellCommandsOf(path, read(path)),
  ...commandsInProse(path, read(path)),
]);
const faults = [
  ...(readIfThere('docs/flags.md') === flags ? [] : ['docs/flags.md: is stale; write it with --quote']),
  ...documents.flatMap((path) =>
    brokenReferences(path, read(path), repository, read).map((reference) => `${path}: ${reference}: there is none`),
  ),
  ...withNames.flatMap((path) =>
    unknownNames(read(path), names).map((name) => `${path}: the name ${name}: no program has it`),
  ),
  ...unlistedDocuments(files, read).map((path) => `${path}: no list of documents links to it`),
  ...documents.flatMap((path) => staleQuotations(read(path), readIfThere).map((fault) => `${path}: ${fault}`)),
  ...faultsOfCommands(commands),
  ...compileBlocks(folder, blocks, { rootDir: root, customConditions: ['@apiserver/source'] }),
];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else {
  const counts = `${documents.length} documents with ${blocks.length} examples and ${commands.length} commands`;
  console.log(`${counts} agree with the repository`);
}
