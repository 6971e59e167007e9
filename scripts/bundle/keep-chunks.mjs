// Chunks of earlier builds, for processes that still run: they load code on first use.
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';

/** Room for the chunks of eight builds that have no chunk in common. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Of a chunk, and of its code if it is deferred. Entries have no hash: a process has loaded them when it runs. */
const hashed = /-[\w-]{8}(\.deferred)?\.cjs$/;

/**
 * Copies the chunks of a bundle that is about to be replaced to where its loader also looks, and removes the oldest
 * there. The hash of their content is in their names, so chunks of several builds may lie together.
 *
 * @param {string} outdir
 * @param {number} [limit] bytes of all kept chunks
 */
export function keepChunks(outdir, limit = MAX_BYTES) {
  if (!existsSync(outdir)) return;
  const folder = `${outdir}.before`;
  mkdirSync(folder, { recursive: true });
  const now = new Date();
  for (const name of readdirSync(outdir).filter((file) => hashed.test(file))) {
    copyFileSync(`${outdir}/${name}`, `${folder}/${name}`);
    utimesSync(`${folder}/${name}`, now, now);
  }
  let bytes = 0;
  for (const { path, size } of newestFirst(folder)) {
    bytes += size;
    if (bytes > limit) rmSync(path);
  }
}

/**
 * @param {string} folder
 */
function newestFirst(folder) {
  const files = readdirSync(folder).map((name) => {
    const path = `${folder}/${name}`;
    const { size, mtimeMs } = statSync(path);
    return { path, size, mtimeMs };
  });
  return files.sort((one, other) => other.mtimeMs - one.mtimeMs);
}
