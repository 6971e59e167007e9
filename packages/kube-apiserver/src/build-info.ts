import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import type { BuildInfo } from '@apiserver/generic-server';

/** What this build knows of itself, read from its package.json, which is beside the compiled code and the bundle alike. */
export function buildInfo(): BuildInfo {
  const path = findPackageJSON(import.meta.url);
  const manifest: unknown = path === undefined ? undefined : JSON.parse(readFileSync(path, 'utf8'));
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return { packageVersion: hasVersion ? String(manifest.version) : '0.0.0' };
}
