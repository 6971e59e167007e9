import { readFileIfPresent, replaceFile } from '@apiserver/component-base/process';

/** The contents of an admin's kubeconfig. Everything is embedded, so that the file can be copied elsewhere. */
export interface AdminKubeconfig {
  /** `https://host:port` */
  readonly server: string;
  /** PEM: what the serving certificate is trusted by. */
  readonly certificateAuthority: string;
  readonly clientCertificate: string;
  readonly clientKey: string;
  /** The name of the cluster in the file. Default: `kube-apiserver`. */
  readonly name?: string;
}

/**
 * Writes the kubeconfig, readable by its owner alone; one that says the same already is left alone. On a full disk, an
 * old one is overwritten in its place, so that a server with another port can start. Throws a StartupError.
 */
export function writeAdminKubeconfig(path: string, config: AdminKubeconfig): void {
  const text = formatKubeconfig(config);
  if (readFileIfPresent(path) !== text) replaceFile(path, text, 0o600);
}

/** The text of the kubeconfig. URL and base64 need no quotes in YAML. */
export function formatKubeconfig(config: AdminKubeconfig): string {
  const { name = 'kube-apiserver' } = config;
  const base64 = (pem: string) => Buffer.from(pem, 'utf8').toString('base64');
  return `apiVersion: v1
kind: Config
clusters:
- name: ${quoted(name)}
  cluster:
    server: ${config.server}
    certificate-authority-data: ${base64(config.certificateAuthority)}
users:
- name: admin
  user:
    client-certificate-data: ${base64(config.clientCertificate)}
    client-key-data: ${base64(config.clientKey)}
contexts:
- name: ${quoted(`admin@${name}`)}
  context:
    cluster: ${quoted(name)}
    user: admin
current-context: ${quoted(`admin@${name}`)}
`;
}

/** Words with hyphens stand as they are: a file of an earlier version is not written again. */
function quoted(name: string): string {
  return /^(?:admin@)?[a-z]+(?:-[a-z0-9]+)+$/.test(name) ? name : JSON.stringify(name);
}
