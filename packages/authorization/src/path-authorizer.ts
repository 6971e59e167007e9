import { ParseError, quote } from '@apiserver/apimachinery/text';
import type { AuthorizationResult, Authorizer } from '@apiserver/apiserver-contracts';

const allow: AuthorizationResult = { decision: 'Allow', reason: '' };
const noOpinion: AuthorizationResult = { decision: 'NoOpinion', reason: '' };

/**
 * Allows everybody certain paths that are no resources, whole ones or, with `*` at the end, all that start so. Throws
 * an Error for a `*` elsewhere.
 * Upstream: k8s.io/apiserver/pkg/authorization/path
 */
export function pathAuthorizer(alwaysAllowPaths: readonly string[]): Authorizer {
  const paths = new Set<string>();
  const prefixes: string[] = [];
  for (const path of alwaysAllowPaths.map(withoutSlash)) {
    if (path.slice(0, -1).includes('*')) throw new ParseError(`only trailing * allowed in ${quote(path)}`);
    if (path.endsWith('*')) prefixes.push(path.slice(0, -1));
    else paths.add(path);
  }
  return {
    authorize: (attributes) => {
      if (attributes.isResourceRequest) return noOpinion;
      const path = withoutSlash(attributes.path);
      return paths.has(path) || prefixes.some((prefix) => path.startsWith(prefix)) ? allow : noOpinion;
    },
  };
}

function withoutSlash(path: string): string {
  return path.startsWith('/') ? path.slice(1) : path;
}
