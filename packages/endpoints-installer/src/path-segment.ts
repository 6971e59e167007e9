/**
 * Errors of a name as a path segment; empty if it is valid.
 *
 * Upstream: k8s.io/apimachinery/pkg/api/validation/path/name.go (IsValidPathSegmentName)
 */
export function pathSegmentNameErrors(name: string): readonly string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((illegal) => name.includes(illegal)).map((illegal) => `may not contain '${illegal}'`);
}
