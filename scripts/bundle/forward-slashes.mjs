/**
 * A path as the build compares it: Windows writes backslashes, both in paths and in the modules' names of the bundler.
 *
 * @param {string} path
 * @returns {string}
 */
export function forwardSlashes(path) {
  return path.replaceAll('\\', '/');
}
