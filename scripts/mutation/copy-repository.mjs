import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { root } from '../build-stale.mjs';

/** Folders of node_modules that the copy has of its own. */
const OWN = new Set(['.bin', '.cache', '.vite', '.package-lock.json', '@apiserver', '.sample-apiserver']);

/**
 * Copies the working tree, as far as git has or would have it, so that its files can be mutated in place. Our packages
 * resolve to the copy; the libraries, what the build has made and ../shared are links to the originals.
 *
 * @param {string} folder absolute path; its parent gets the link `shared`
 */
export function copyRepository(folder) {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  for (const path of listed.split('\n').filter((line) => line !== '')) cpSync(join(root, path), join(folder, path));
  for (const path of globSync(['packages/*/dist', 'assets'], { cwd: root })) link(join(root, path), join(folder, path));
  link(resolve(root, '../shared'), join(dirname(folder), 'shared'));
  linkModules(join(root, 'node_modules'), join(folder, 'node_modules'));
}

/**
 * @param {string} from
 * @param {string} to
 */
function linkModules(from, to) {
  mkdirSync(join(to, '@apiserver'), { recursive: true });
  for (const name of readdirSync(from).filter((entry) => !OWN.has(entry))) link(join(from, name), join(to, name));
  for (const name of readdirSync(join(to, '../packages'))) {
    link(join(to, '../packages', name), join(to, '@apiserver', name));
  }
}

/**
 * @param {string} target
 * @param {string} path
 */
function link(target, path) {
  symlinkSync(target, path, 'junction');
}
