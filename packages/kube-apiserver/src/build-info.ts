import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { once } from '@apiserver/apimachinery/lazy';
import type { BuildInfo } from '@apiserver/component-base/version';

/**
 * Facts about this build, from two sources. The package.json is beside the compiled code and the bundle alike;
 * `npm run build` notes the rest in dist/. Read once: the code of a process never changes.
 */
export const buildInfo: () => BuildInfo = once(readBuildInfo);

function readBuildInfo(): BuildInfo {
  const folder = findPackage(dirname(fileURLToPath(import.meta.url)));
  if (folder === undefined) return { packageVersion: '0.0.0' };
  const { version } = readJson<{ readonly version?: string }>(join(folder, 'package.json'));
  const noted = join(folder, 'dist/build-info.json');
  return {
    ...(existsSync(noted) && readJson<Omit<BuildInfo, 'packageVersion'>>(noted)),
    packageVersion: version ?? '0.0.0',
  };
}

/** Not by `findPackageJSON`: it does not see the archives in which Yarn keeps packages. */
function findPackage(folder: string): string | undefined {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findPackage(parent);
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8'));
}
