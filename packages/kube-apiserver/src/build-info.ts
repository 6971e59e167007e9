import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { once } from '@apiserver/apimachinery/lazy';
import { fileBeside } from '@apiserver/component-base/process';
import type { BuildInfo } from '@apiserver/component-base/version';

interface PackageFile {
  readonly name?: string;
  readonly version?: string;
}

/**
 * Facts about this build, from two sources. The package.json is beside the compiled code and the bundle alike;
 * `npm run build` notes the rest in dist/. Read once: the code of a process never changes.
 */
export const buildInfo: () => BuildInfo = once(readBuildInfo);

function readBuildInfo(): BuildInfo {
  const folder = findPackage(fileBeside(import.meta.url, ['.']));
  const { name, version } = folder === undefined ? {} : readJson<PackageFile>(join(folder, 'package.json'));
  // A program has bundled this package, and its own package.json is beside the bundle.
  if (folder === undefined || !name?.startsWith('@apiserver/')) return { packageVersion: '0.0.0' };
  const noted = join(folder, 'dist/build-info.json');
  return {
    ...(existsSync(noted) && readJson<Omit<BuildInfo, 'packageVersion'>>(noted)),
    packageVersion: version ?? '0.0.0',
  };
}

/** Not by `findPackageJSON`: it does not see the archives in which Yarn keeps packages. */
function findPackage(folder: string | undefined): string | undefined {
  if (folder === undefined || existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findPackage(parent);
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8'));
}
