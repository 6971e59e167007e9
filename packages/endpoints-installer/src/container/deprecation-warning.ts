import { formatGroupVersion } from '@apiserver/apimachinery';
import type { EndpointScope } from '../scope/endpoint-scope.js';

/**
 * The warning that every request for a deprecated version gets; undefined for the others.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/deprecation/deprecation.go
 */
export function deprecationWarning({ kind, versionDefinition }: EndpointScope): string | undefined {
  const { deprecated } = versionDefinition;
  if (deprecated === undefined) return undefined;
  const { since, removed, replacement } = deprecated;
  const until = removed === undefined ? '' : `, unavailable in v${removed}+`;
  const instead = replacement === undefined ? '' : `; use ${replacement}`;
  return `${formatGroupVersion(kind)} ${kind.kind} is deprecated in v${since}+${until}${instead}`;
}
