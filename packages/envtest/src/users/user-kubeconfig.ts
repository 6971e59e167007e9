import { encodeYaml } from '@apiserver/apimachinery/codec/yaml';
import type { Credentials } from './credentials.js';

/** The server of a kubeconfig. */
export interface KubeconfigCluster {
  readonly url: string;
  /** PEM of the authority of its certificate. */
  readonly authority: string;
}

/** The kubeconfig of a user, with everything embedded. */
export function userKubeconfig(name: string, cluster: KubeconfigCluster, credentials: Credentials): string {
  const context = { cluster: 'plane', user: name };
  return Buffer.from(
    encodeYaml({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        { name: 'plane', cluster: { server: cluster.url, 'certificate-authority-data': base64(cluster.authority) } },
      ],
      users: [{ name, user: userOf(credentials) }],
      contexts: [{ name: `${name}@plane`, context }],
      'current-context': `${name}@plane`,
    }),
  ).toString();
}

function userOf({ certificate, token, impersonated }: Credentials): object {
  return {
    ...(certificate && {
      'client-certificate-data': base64(certificate.certificate),
      'client-key-data': base64(certificate.key),
    }),
    ...(token !== undefined && { token }),
    ...(impersonated && {
      as: impersonated.name,
      'as-groups': impersonated.groups,
      ...(impersonated.uid !== undefined && { 'as-uid': impersonated.uid }),
      'as-user-extra': impersonated.extra,
    }),
  };
}

function base64(pem: string): string {
  return Buffer.from(pem).toString('base64');
}
