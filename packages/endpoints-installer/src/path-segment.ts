/**
 * What is wrong with a name as one segment of a path; empty when nothing is.
 *
 * Upstream: k8s.io/apimachinery/pkg/api/validation/path/name.go (IsValidPathSegmentName)
 */
export function pathSegmentNameErrors(name: string): readonly string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((illegal) => name.includes(illegal)).map((illegal) => `may not contain '${illegal}'`);
}
