import { execFileSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../build-stale.mjs';
import { runLerna } from './lerna.mjs';

/** A name for git, because the user may have set none. The commit is not pushed. */
const identity = {
  GIT_AUTHOR_NAME: 'trial',
  GIT_AUTHOR_EMAIL: 'trial@localhost',
  GIT_COMMITTER_NAME: 'trial',
  GIT_COMMITTER_EMAIL: 'trial@localhost',
};

/**
 * Releases the working tree as it is, built, as `npm run release` does: lerna gives all packages the next version,
 * commits and tags, then publishes them. All of it happens in a copy at `folder`. Returns the version; throws when
 * lerna fails.
 */
export async function trialRelease(folder: string, registry: string): Promise<string> {
  copyRepository(folder);
  await lerna(folder, ['version', 'patch', '--yes', '--no-push']);
  // npm publishes to no registry without a token.
  const userConfig = `${folder}.npmrc`;
  writeFileSync(userConfig, `${registry.replace(/^http:/, '')}:_authToken=trial\n`);
  await lerna(folder, ['publish', 'from-package', '--yes', `--registry=${registry}`], {
    npm_config_userconfig: userConfig,
  });
  return JSON.parse(readFileSync(join(folder, 'lerna.json'), 'utf8')).version;
}

async function lerna(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> {
  const code = await runLerna([...args, '--loglevel=error'], { cwd, env: { ...identity, ...env } });
  if (code !== 0) throw new Error(`lerna ${args[0]} ended with ${code}`);
}

/** Copies the files that a release reads, as far as git has or would have them, and the built ones. */
function copyRepository(folder: string): void {
  const roots = ['package.json', 'package-lock.json', 'lerna.json', 'LICENSE', '.gitignore', '.npmrc'];
  const listed = git(root, [
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '--',
    ...roots,
    'packages',
    'examples',
  ]);
  const files = listed.split('\n').filter((path) => path !== '');
  for (const path of [...files, ...globSync('packages/*/dist', { cwd: root })]) {
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  git(folder, ['init', '--quiet']);
  git(folder, ['add', '.']);
  git(folder, ['commit', '--quiet', '--message=What is to be released']);
}

function git(cwd: string, args: readonly string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', env: { ...process.env, ...identity }, maxBuffer: 2 ** 26 });
}
