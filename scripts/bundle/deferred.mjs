// A chunk that waits until something of it is wanted.
import { renameSync, writeFileSync } from 'node:fs';

const suffix = '.deferred.cjs';

/**
 * @param {string} file
 * @returns {boolean} whether this is the code of a chunk that waits
 */
export function isDeferred(file) {
  return file.endsWith(suffix);
}

/**
 * Puts a stand-in where a chunk was, that takes over its exports when one of them is asked for. Plain CommonJS, for the
 * bundle's own loader and for Node's. Until then the exports lie behind a prototype, so that nothing has to be asked
 * about later.
 *
 * @param {string} file of the chunk; its code moves beside it
 */
export function defer(file) {
  const code = file.replace(/\.cjs$/, suffix);
  renameSync(file, code);
  writeFileSync(file, standIn(`./${code.slice(code.lastIndexOf('/') + 1)}`));
}

/**
 * @param {string} chunk
 * @returns {string}
 */
function standIn(chunk) {
  return `Object.setPrototypeOf(exports, new Proxy({}, {
  get(_, name) {
    const loaded = require(${JSON.stringify(chunk)});
    Object.setPrototypeOf(exports, null);
    Object.defineProperties(exports, Object.getOwnPropertyDescriptors(loaded));
    return loaded[name];
  },
}));
`;
}
