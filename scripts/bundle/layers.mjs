// Files of a group that would be too large as one file.
import { readFileSync } from 'node:fs';
import { root } from '../build-stale.mjs';
import { forwardSlashes } from './forward-slashes.mjs';

/** @typedef {{ name: string, layers?: readonly number[] }} LayeredGroup */

/**
 * Node keeps a longer text outside of V8's heap. V8 counts such text as growth of the heap, and not as a part of its
 * size: it then marks the whole heap before the server is ready. (EXTERN_APEX in src/string_bytes.cc)
 */
const LONGEST = 0xfbee9;

/**
 * Divides groups by the rings of their packages. A file then imports lower ones only, and libraries are in the lowest.
 *
 * @param {readonly LayeredGroup[]} groups
 * @param {ReadonlyMap<string, string>} grouped module to the name of its group
 * @returns {Map<string, string>} module to the name of its file; the highest layer has the name of the group
 */
export function inLayers(groups, grouped) {
  const layers = new Map(groups.map((group) => [group.name, group.layers ?? []]));
  const ringOf = ringsOfModules();
  return new Map(
    [...grouped].map(([id, name]) => {
      const layer = (layers.get(name) ?? []).findIndex((last) => ringOf(id) <= last);
      return [id, layer === -1 ? name : `${name}-${layer + 1}`];
    }),
  );
}

/** @returns {(id: string) => number} the ring of a module; that of a library is below all packages */
function ringsOfModules() {
  /** @type {{ packages: readonly { folder: string, ring: number }[] }} */
  const { packages } = JSON.parse(readFileSync(`${root}architecture.json`, 'utf8'));
  const rings = new Map(packages.map(({ folder, ring }) => [folder, ring]));
  return (id) => {
    const folder = /\/(packages\/[^/]+)\/src\//.exec(forwardSlashes(id))?.[1];
    return folder === undefined ? -1 : (rings.get(folder) ?? -1);
  };
}

/**
 * Throws an error that names a file which is too large to be read as one text.
 *
 * @param {readonly { fileName: string, code: string }[]} chunks
 */
export function checkSizes(chunks) {
  for (const { fileName, code } of chunks) {
    if (code.length > LONGEST * 0.98) {
      throw new Error(`${fileName} has ${code.length} bytes: give its group more layers`);
    }
  }
}
