import { readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isDeferred } from './deferred.mjs';

/**
 * @param {string} directory of a bundle, with a slash at its end
 * @returns {{ load: (name: string) => any, writeBytecode: () => void }} `writeBytecode` writes V8's bytecode of the
 * chunks beside
 *     them: all functions that ran, and deferred chunks as they are loaded
 */
export function recordingBundle(directory) {
  const { Bundle, bytecodeFile } = createRequire(directory)('./loader.cjs');
  const bundle = new Bundle(directory);
  return {
    load: (name) => bundle.load(name),
    writeBytecode() {
      for (const file of readdirSync(directory)) if (isDeferred(file)) bundle.load(file);
      for (const [name, script] of bundle.scripts) {
        writeFileSync(bytecodeFile(directory + name), script.createCachedData());
      }
    },
  };
}
