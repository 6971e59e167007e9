import type { VersionInfo } from '@apiserver/generic-server';
import type { LaunchedServer } from '../start/launch.js';

/** What somebody who has just started a server wants to know. */
export function startBlock(
  { url, kubeconfigPath }: Pick<LaunchedServer, 'url' | 'kubeconfigPath'>,
  { gitVersion }: VersionInfo,
): string {
  const head = `Kubernetes API ${gitVersion} is ready at ${url}\n`;
  if (kubeconfigPath === undefined) return `${head}Clients need a certificate of the CA in --client-ca-file.\n`;
  const quoted = /[^\w@%+=:,./-]/.test(kubeconfigPath)
    ? `'${kubeconfigPath.replaceAll("'", "'\\''")}'`
    : kubeconfigPath;
  return `${head}kubeconfig: ${kubeconfigPath}\ntry: kubectl --kubeconfig ${quoted} get namespaces\n`;
}
