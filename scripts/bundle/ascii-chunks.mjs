// Writes what is not ASCII in a bundle as escapes. V8 keeps a source with a single longer character at two bytes for
// each: 2 MiB of every server.
import { decode, encode } from '@jridgewell/sourcemap-codec';

/** Characters that are not ASCII occur in literals alone, where an escape means the same. */
const notAscii = /[^\0-\x7f]/g;

/**
 * Runs at the end of a build, because minifying would undo it.
 *
 * @type {import('rolldown').Plugin}
 */
export const asciiChunks = {
  name: 'ascii-chunks',
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk') continue;
      if (file.map) file.map.mappings = shifted(file.map.mappings, file.code);
      file.code = file.code.replace(notAscii, escaped);
    }
  },
};

/**
 * @param {string} unit of UTF-16
 * @returns {string}
 */
function escaped(unit) {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * @param {string} mappings of a source map
 * @param {string} code before anything is escaped
 * @returns {string} the mappings of the escaped code
 */
function shifted(mappings, code) {
  const lines = code.split('\n');
  const decoded = decode(mappings);
  for (const [number, segments] of decoded.entries()) {
    const columns = [...(lines[number] ?? '').matchAll(notAscii)].map(({ index }) => index);
    for (const segment of segments) {
      const before = columns.findLastIndex((column) => column < segment[0]) + 1;
      segment[0] += before * (escaped('\0').length - 1);
    }
  }
  return encode(decoded);
}
