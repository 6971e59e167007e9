/**
 * Runs the project's generators again into an empty folder and compares with what is committed. The facts that they
 * read are not part of the repository; without them there is nothing to compare, and it says so.
 */
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, runNode } from './build-stale.mjs';

interface Generator {
  readonly script: string;
  /** Its input files, relative to the repository. */
  readonly facts: string;
  /** The folder that it writes and that is committed. */
  readonly output: string;
}

const generators: readonly Generator[] = [
  { script: 'scripts/generate-api.mjs', facts: '../shared/facts/api-1.36.json', output: 'packages/api/src/generated' },
];

/** Relative paths of files that only one folder has or that differ. */
function differingFiles(committed: string, generated: string): string[] {
  const listing = (cwd: string) => globSync('**/*.*', { cwd });
  const all = [...new Set([...listing(committed), ...listing(generated)])].sort();
  return all.filter((path) => readText(join(committed, path)) !== readText(join(generated, path)));
}

function readText(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

async function check({ script, facts, output }: Generator): Promise<boolean> {
  if (!existsSync(root + facts)) {
    console.log(`${output}: not compared, because ${facts} is not here`);
    return true;
  }
  const folder = mkdtempSync(join(tmpdir(), 'apiserver-generated-'));
  try {
    const code = await runNode([script, '--facts', root + facts, '--out', folder]);
    if (code !== 0) return false;
    const differing = differingFiles(root + output, folder);
    for (const path of differing) console.error(`${output}/${path}: is not what ${script} makes`);
    if (differing.length === 0) console.log(`${output}: is what ${script} makes`);
    return differing.length === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const generator of generators) {
  if (!(await check(generator))) process.exitCode = 1;
}
