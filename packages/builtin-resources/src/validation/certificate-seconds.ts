const LEAST = 3600;
const MOST = 91 * 86_400;
/** For signers of Kubernetes itself. */
const MOST_OF_KUBERNETES = 86_400;

/**
 * Shortest and longest lifetime of a pod's certificate, in seconds, that a signer can be asked for.
 * Upstream: pkg/apis/certificates/types.go
 */
export function certificateSeconds(signerName: string): readonly [least: number, most: number] {
  return [LEAST, isKubernetesSigner(signerName) ? MOST_OF_KUBERNETES : MOST];
}

/** Upstream: IsKubernetesSignerName of pkg/apis/core/validation/names.go */
function isKubernetesSigner(signerName: string): boolean {
  const [host = ''] = signerName.split('/');
  return host === 'kubernetes.io' || host.endsWith('.kubernetes.io');
}
