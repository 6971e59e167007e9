// Notes in dist/build-info.json of the packages with a bundle what is being built, for /version: the commit, whether
// the working tree is as it was committed, and when. Without git it is an archive of nobody knows which commit.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { root } from './build-stale.mjs';

/**
 * @param {readonly string[]} args
 * @returns {string | undefined} what git prints; undefined when it fails or is not there
 */
function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** Somebody else's repository may lie around an unpacked archive. */
const isRepository = existsSync(`${root}.git`);
const commit = isRepository ? git('rev-parse', 'HEAD') : undefined;
const changes = commit === undefined ? undefined : git('status', '--porcelain');
const treeState = changes === undefined ? 'archive' : changes === '' ? 'clean' : 'dirty';
const date = new Date().toISOString().replace(/\.\d+Z$/, 'Z');

const noted = JSON.stringify({ ...(commit !== undefined && { commit }), treeState, date });
// Each bundle of the server looks in its own package.
for (const name of ['kube-apiserver', 'envtest']) {
  const folder = `${root}packages/${name}/dist`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/build-info.json`, noted);
}
