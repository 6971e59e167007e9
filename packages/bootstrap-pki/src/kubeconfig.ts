import { readFileIfPresent, writeFileAtomically } from '@apiserver/component-base/process';

/** What an admin's kubeconfig says. Everything is embedded, so that the file can be copied elsewhere. */
export interface AdminKubeconfig {
  /** `https://host:port` */
  readonly server: string;
  /** PEM: what the serving certificate is trusted by. */
  readonly certificateAuthority: string;
  readonly clientCertificate: string;
  readonly clientKey: string;
}

/**
 * Writes the kubeconfig, readable by its owner alone; one that says the same already is left alone.
 */
export function writeAdminKubeconfig(path: string, config: AdminKubeconfig): void {
  const text = formatKubeconfig(config);
  if (readFileIfPresent(path) !== text) writeFileAtomically(path, text, 0o600);
}

/** Every value is a URL, a fixed name or base64, none of which YAML has to quote. */
function formatKubeconfig(config: AdminKubeconfig): string {
  const base64 = (pem: string) => Buffer.from(pem, 'utf8').toString('base64');
  return `apiVersion: v1
kind: Config
clusters:
- name: kube-apiserver
  cluster:
    server: ${config.server}
    certificate-authority-data: ${base64(config.certificateAuthority)}
users:
- name: admin
  user:
    client-certificate-data: ${base64(config.clientCertificate)}
    client-key-data: ${base64(config.clientKey)}
contexts:
- name: admin@kube-apiserver
  context:
    cluster: kube-apiserver
    user: admin
current-context: admin@kube-apiserver
`;
}
