// Builds stale packages, because some tests run the binary, and runs vitest with the given arguments. The last line has
// the numbers of passed, failed and skipped tests. With CI set, up to three failed files run a second time, by
// themselves.
import './required-node.mjs';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { buildStale, root, runNode } from './build-stale.mjs';
import { countTests, filesOfSecondRun, mergeRuns } from './tests/results.mjs';

const folder = mkdtempSync(join(tmpdir(), 'apiserver-test-'));

/** Gets the number of errors outside of tests, from a reporter. */
const unhandled = join(folder, 'unhandled');
process.env.UNHANDLED_ERRORS = unhandled;
const reporters = ['default', 'json', './scripts/tests/unhandled-errors.mjs'].map((name) => `--reporter=${name}`);

/**
 * Runs vitest once. The files are undefined if it wrote no report.
 *
 * @param {string} name
 * @param {readonly string[]} args
 */
async function runVitest(name, args) {
  const report = join(folder, `${name}.json`);
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...reporters];
  const code = await runNode([...vitest, `--outputFile.json=${report}`, ...args]);
  return { code, files: readFiles(report) };
}

/**
 * @param {string} path
 * @returns {import('./tests/results.mjs').TestFile[] | undefined}
 */
function readFiles(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).testResults;
  } catch {
    return undefined;
  }
}

/** @param {readonly string[]} args */
async function runTests(args) {
  const { code, files } = await runVitest('first', args);
  if (files === undefined) return { code: code || 1, files: [] };
  const isFinal = code === 0 || readFileSync(unhandled, 'utf8') !== '0';
  const again = process.env.CI && !isFinal ? filesOfSecondRun(files) : [];
  if (again.length === 0) return { code, files };
  const options = args.filter((arg) => arg.startsWith('--'));
  const second = await runVitest('second', [...options, ...again.map((path) => relative(root, path))]);
  const merged = mergeRuns(files, second.files ?? []);
  for (const test of merged.unsteady) console.log(`UNSTEADY, passed in the second run only: ${relative(root, test)}`);
  return { code: second.code, files: merged.files };
}

try {
  const built = await buildStale();
  const result = built ? { code: built, files: [] } : await runTests(process.argv.slice(2));
  const counts = countTests(result.files);
  if (result.code !== 0 && counts.failed === 0) counts.failed = 1;
  process.exitCode = result.code;
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
