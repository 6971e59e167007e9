// Builds stale packages, because some tests run the binary, and runs vitest with the given arguments. The last line has the
// numbers of passed, failed and skipped tests.
import './required-node.mjs';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildStale, runNode } from './build-stale.mjs';

/** @typedef {{ status: string }} Assertion */
/** @typedef {{ status: string, assertionResults: Assertion[] }} TestFile */

/**
 * A file that fails without a failed test (it does not load, a hook throws) counts as one failure.
 *
 * @param {readonly TestFile[]} files
 */
function count(files) {
  const assertions = files.flatMap((file) => file.assertionResults);
  const failedTests = assertions.filter((test) => test.status === 'failed').length;
  const brokenFiles = files.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const passed = assertions.filter((test) => test.status === 'passed').length;
  return { passed, failed: failedTests + brokenFiles, skipped: assertions.length - failedTests - passed };
}

/** @param {string} path */
function readCounts(path) {
  try {
    return count(JSON.parse(readFileSync(path, 'utf8')).testResults);
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

const folder = mkdtempSync(join(tmpdir(), 'apiserver-test-'));
const report = join(folder, 'report.json');
try {
  const built = await buildStale();
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json'];
  const code = built || (await runNode([...vitest, `--outputFile.json=${report}`, ...process.argv.slice(2)]));
  const counts = readCounts(report);
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  process.exitCode = code;
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
