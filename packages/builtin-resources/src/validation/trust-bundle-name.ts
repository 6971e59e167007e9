import { nameIsDNSSubdomain, type ValidateName } from '@apiserver/apimachinery/validation';

/**
 * The rule for names of ClusterTrustBundles. A bundle of a signer has the signer in its name.
 * Upstream: ValidateClusterTrustBundleName of pkg/apis/core/validation/names.go
 */
export function trustBundleNameRule(signerName: string): ValidateName {
  if (signerName === '') {
    return (name, prefix) =>
      name.includes(':')
        ? ['ClusterTrustBundle without signer name must not have ":" in its name']
        : nameIsDNSSubdomain(name, prefix);
  }
  const start = `${signerName.replaceAll('/', ':')}:`;
  return (name, prefix) =>
    name.startsWith(start)
      ? nameIsDNSSubdomain(name.slice(start.length), prefix)
      : [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${start}`];
}

/** The signer in the name of a bundle; "" without one. Upstream: extractSignerNameFromClusterTrustBundleName */
export function signerOfTrustBundleName(name: string): string {
  return name.slice(0, Math.max(name.lastIndexOf(':'), 0)).replaceAll(':', '/');
}
