import type { LaunchedServer } from '../start/launch.js';

/** A server that is ready. */
export interface StartedServer extends Pick<LaunchedServer, 'url' | 'kubeconfigPath' | 'version'> {
  /** The file with the URL and the token of the test endpoint. */
  readonly endpointFile?: string | undefined;
}

/** The first message to a user who has started a server; the command suits the shells of the platform. */
export function startBlock(
  { url, kubeconfigPath, version, endpointFile }: StartedServer,
  platform: NodeJS.Platform,
): string {
  const endpoint = endpointFile === undefined ? '' : `test endpoint: ${endpointFile}\n`;
  const head = `Kubernetes API ${version.gitVersion} is ready at ${url}\n${endpoint}`;
  if (kubeconfigPath === undefined) return `${head}Clients need a certificate of the CA in --client-ca-file.\n`;
  const quoted = platform === 'win32' ? quotedForCmd(kubeconfigPath) : quotedForShell(kubeconfigPath);
  return `${head}kubeconfig: ${kubeconfigPath}\ntry: kubectl --kubeconfig ${quoted} get namespaces\n`;
}

function quotedForShell(path: string): string {
  return /[^\w@%+=:,./-]/.test(path) ? `'${path.replaceAll("'", "'\\''")}'` : path;
}

/** Quotes for cmd.exe and PowerShell. A path of Windows contains no quotes. */
function quotedForCmd(path: string): string {
  return /[^\w@+=:./\\-]/.test(path) ? `"${path}"` : path;
}
