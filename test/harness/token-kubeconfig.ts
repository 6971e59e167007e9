import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCredentials } from './admin-client.ts';

/** Writes a kubeconfig that shows a token and no certificate, and returns its path. */
export function tokenKubeconfig(
  { kubeconfig }: { readonly kubeconfig: string },
  folder: string,
  token: string,
): string {
  const { server, ca } = readCredentials(kubeconfig);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  const path = join(folder, `${token.slice(-20)}.kubeconfig`);
  writeFileSync(path, JSON.stringify(config));
  return path;
}
