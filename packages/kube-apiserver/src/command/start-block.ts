import type { LaunchedServer } from '../start/launch.js';

/** What somebody who has just started a server wants to know. */
export function startBlock({
  url,
  kubeconfigPath,
  version,
}: Pick<LaunchedServer, 'url' | 'kubeconfigPath' | 'version'>): string {
  const head = `Kubernetes API ${version.gitVersion} is ready at ${url}\n`;
  if (kubeconfigPath === undefined) return `${head}Clients need a certificate of the CA in --client-ca-file.\n`;
  const quoted = /[^\w@%+=:,./-]/.test(kubeconfigPath)
    ? `'${kubeconfigPath.replaceAll("'", "'\\''")}'`
    : kubeconfigPath;
  return `${head}kubeconfig: ${kubeconfigPath}\ntry: kubectl --kubeconfig ${quoted} get namespaces\n`;
}
