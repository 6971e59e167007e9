import { nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';

/**
 * The faults of the name of a ClusterTrustBundle, or of a prefix for it. A bundle of a signer has the signer in its name.
 * Upstream: ValidateClusterTrustBundleName of pkg/apis/core/validation/names.go
 */
export function trustBundleNameFaults(signerName: string, name: string, isPrefix: boolean): string[] {
  if (signerName === '') {
    if (name.includes(':')) return ['ClusterTrustBundle without signer name must not have ":" in its name'];
    return nameIsDNSSubdomain(name, isPrefix);
  }
  const prefix = `${signerName.replaceAll('/', ':')}:`;
  if (name.startsWith(prefix)) return nameIsDNSSubdomain(name.slice(prefix.length), isPrefix);
  return [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`];
}

/** The signer in the name of a bundle; "" without one. Upstream: extractSignerNameFromClusterTrustBundleName */
export function signerOfTrustBundleName(name: string): string {
  return name.slice(0, Math.max(name.lastIndexOf(':'), 0)).replaceAll(':', '/');
}
