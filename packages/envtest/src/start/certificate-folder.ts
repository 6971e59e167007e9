import { cpSync } from 'node:fs';
import type { Clock } from '@apiserver/apimachinery/clock';
import { TemporaryFolder } from '../powers/temporary-folder.js';
import { type CertificateFolder, processParts } from './process-parts.js';

/** Certificates are valid for a year, and an hour before. */
const day = 24 * 3_600_000;

/**
 * The folder of the process, or one for a plane alone: on another date it needs certificates that are valid then. `keysOf`
 * names the keys that the plane must have.
 */
export async function certificatesOf(clock: Clock, keysOf: CertificateFolder | undefined): Promise<CertificateFolder> {
  const isNow = Math.abs(clock.now() - Date.now()) < day;
  if (isNow && (keysOf?.isShared ?? true)) return processParts().certificates();
  const folder = new TemporaryFolder();
  const { path } = folder;
  if (keysOf !== undefined) cpSync(keysOf.path, path, { recursive: true });
  return { path, isShared: false, filled: () => {}, [Symbol.asyncDispose]: async () => folder[Symbol.dispose]() };
}
