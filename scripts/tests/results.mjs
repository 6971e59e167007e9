/** @typedef {{ fullName: string, status: string }} Assertion */
/** @typedef {{ name: string, status: string, assertionResults: Assertion[] }} TestFile of vitest's JSON report */

/** So many files may be run a second time. When more fail, the change is at fault. */
const FILES_OF_SECOND_RUN = 3;

/**
 * A file that fails without a failed test (it does not load, a hook throws) counts as one failure.
 *
 * @param {readonly TestFile[]} files
 */
export function countTests(files) {
  const assertions = files.flatMap((file) => file.assertionResults);
  const failedTests = assertions.filter((test) => test.status === 'failed').length;
  const brokenFiles = failedFiles(files).filter((file) => failuresOf(file).length === 0).length;
  const passed = assertions.filter((test) => test.status === 'passed').length;
  return { passed, failed: failedTests + brokenFiles, skipped: assertions.length - failedTests - passed };
}

/**
 * The files to run a second time: all that failed, or none if there are too many.
 *
 * @param {readonly TestFile[]} files
 */
export function filesOfSecondRun(files) {
  const failed = failedFiles(files).map((file) => file.name);
  return failed.length <= FILES_OF_SECOND_RUN ? failed : [];
}

/**
 * The results of both runs, and a line for each failure that the second run did not repeat.
 *
 * @param {readonly TestFile[]} first
 * @param {readonly TestFile[]} second
 */
export function mergeRuns(first, second) {
  const files = first.map((file) => second.find(({ name }) => name === file.name) ?? file);
  const passed = new Set(second.filter(({ status }) => status === 'passed').map(({ name }) => name));
  const unsteady = failedFiles(first).filter(({ name }) => passed.has(name));
  return { files, unsteady: unsteady.flatMap((file) => namesOf(file).map((test) => `${file.name}: ${test}`)) };
}

/** @param {TestFile} file */
function namesOf(file) {
  const failed = failuresOf(file);
  return failed.length > 0 ? failed : ['the file itself'];
}

/** @param {readonly TestFile[]} files */
function failedFiles(files) {
  return files.filter((file) => file.status === 'failed');
}

/** @param {TestFile} file */
function failuresOf(file) {
  const failed = file.assertionResults.filter((test) => test.status === 'failed');
  return failed.map((test) => test.fullName);
}
