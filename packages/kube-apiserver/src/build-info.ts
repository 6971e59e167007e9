import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { once } from '@apiserver/apimachinery/lazy';
import type { BuildInfo } from '@apiserver/component-base/version';

/**
 * Facts about this build, from two sources. The package.json is beside the compiled code and the bundle alike;
 * `npm run build` notes the rest in dist/. Read once: the code of a process never changes.
 */
export const buildInfo: () => BuildInfo = once(readBuildInfo);

function readBuildInfo(): BuildInfo {
  const path = module.findPackageJSON(import.meta.url);
  if (path === undefined) return { packageVersion: '0.0.0' };
  const { version } = readJson<{ readonly version?: string }>(path);
  const noted = join(dirname(path), 'dist/build-info.json');
  return {
    ...(existsSync(noted) && readJson<Omit<BuildInfo, 'packageVersion'>>(noted)),
    packageVersion: version ?? '0.0.0',
  };
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8'));
}
