import { createPublicKey } from 'node:crypto';
import { join } from 'node:path';
import { readFileIfPresent, writeFileAtomically, writeFileDurably } from '@apiserver/component-base/process';
import { generateKey, keyToPem, parseKey } from './key-pair.js';

/** Where the key that signs service account tokens is kept, and the public half that verifies them. */
export interface ServiceAccountKeyFiles {
  readonly privateKeyFile: string;
  readonly publicKeyFile: string;
}

/**
 * `sa.key` and `sa.pub` in `directory`, made if missing. A key that is there is never replaced: every token it signed
 * would stop working. Rejects with a StartupError when it is not a private key.
 */
export async function ensureServiceAccountKey(
  directory: string,
  { survivesCrash = true }: { readonly survivesCrash?: boolean } = {},
): Promise<ServiceAccountKeyFiles> {
  const files = { privateKeyFile: join(directory, 'sa.key'), publicKeyFile: join(directory, 'sa.pub') };
  const present = readFileIfPresent(files.privateKeyFile);
  const key = present === undefined ? generateKey() : parseKey(present, files.privateKeyFile);
  if (present === undefined) {
    const write = survivesCrash ? writeFileDurably : writeFileAtomically;
    await write(files.privateKeyFile, keyToPem(key), 0o600);
  }
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
  if (readFileIfPresent(files.publicKeyFile) !== publicKey) {
    writeFileAtomically(files.publicKeyFile, publicKey, 0o644);
  }
  return files;
}
