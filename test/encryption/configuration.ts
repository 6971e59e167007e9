import { renameSync, writeFileSync } from 'node:fs';

/** Writes an EncryptionConfiguration atomically for its readers. Entries: resources, then providers. */
export function writeConfiguration(
  file: string,
  ...entries: readonly (readonly [resources: readonly string[], ...providers: readonly object[]])[]
): void {
  const resources = entries.map(([names, ...providers]) => ({ resources: names, providers }));
  const document = { kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1', resources };
  writeFileSync(`${file}.new`, JSON.stringify(document));
  renameSync(`${file}.new`, file);
}

/** Keys by name; their bytes follow from it. */
export function keys(...names: readonly string[]): { readonly keys: readonly object[] } {
  return { keys: names.map((name) => ({ name, secret: Buffer.alloc(32, name).toString('base64') })) };
}
