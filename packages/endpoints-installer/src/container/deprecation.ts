import { formatGroupVersion } from '@apiserver/apimachinery';
import type { Exchange } from '@apiserver/apiserver-contracts';
import type { EndpointScope } from '../scope/endpoint-scope.js';

/** Upstream: the annotation keys of k8s.io/apiserver/pkg/endpoints/metrics */
const DEPRECATED = 'k8s.io/deprecated';
const REMOVED_RELEASE = 'k8s.io/removed-release';

/**
 * Handles requests for a deprecated version: warns the client, and counts the request. Undefined for other versions.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/deprecation/deprecation.go
 */
export function deprecationOf(scope: EndpointScope): ((exchange: Exchange) => void) | undefined {
  const { resource, subresource, versionDefinition, environment } = scope;
  const { deprecated, deprecationWarning } = versionDefinition;
  if (deprecationWarning !== undefined) {
    return ({ context }) => {
      context.warnings.warn(deprecationWarning);
      context.audit?.annotate(DEPRECATED, 'true');
    };
  }
  if (deprecated === undefined) return undefined;
  const warning = warningText(scope, deprecated);
  const count = environment.metrics.deprecatedRequests({
    ...resource,
    subresource,
    removedRelease: deprecated.removed ?? '',
  });
  return ({ context }) => {
    context.warnings.warn(warning);
    context.audit?.annotate(DEPRECATED, 'true');
    if (deprecated.removed !== undefined) context.audit?.annotate(REMOVED_RELEASE, deprecated.removed);
    count();
  };
}

type Deprecation = NonNullable<EndpointScope['versionDefinition']['deprecated']>;

function warningText({ kind }: EndpointScope, { since, removed, replacement }: Deprecation): string {
  const until = removed === undefined ? '' : `, unavailable in v${removed}+`;
  const instead = replacement === undefined ? '' : `; use ${replacement}`;
  return `${formatGroupVersion(kind)} ${kind.kind} is deprecated in v${since}+${until}${instead}`;
}
