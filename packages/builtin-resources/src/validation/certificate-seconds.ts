const MIN_SECONDS = 3600;
const MAX_SECONDS = 91 * 86_400;
/** For signers of Kubernetes itself. */
const MAX_SECONDS_OF_KUBERNETES = 86_400;

/**
 * Shortest and longest lifetime of a pod's certificate, in seconds, that a signer can be asked for.
 * Upstream: pkg/apis/certificates/types.go
 */
export function certificateSeconds(signerName: string): readonly [least: number, most: number] {
  return [MIN_SECONDS, isKubernetesSigner(signerName) ? MAX_SECONDS_OF_KUBERNETES : MAX_SECONDS];
}

/** Upstream: IsKubernetesSignerName of pkg/apis/core/validation/names.go */
function isKubernetesSigner(signerName: string): boolean {
  const [host = ''] = signerName.split('/');
  return host === 'kubernetes.io' || host.endsWith('.kubernetes.io');
}
