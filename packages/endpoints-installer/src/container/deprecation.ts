import { formatGroupVersion } from '@apiserver/apimachinery';
import type { Exchange } from '@apiserver/apiserver-contracts';
import type { EndpointScope } from '../scope/endpoint-scope.js';

/** Upstream: the annotation keys of k8s.io/apiserver/pkg/endpoints/metrics */
const DEPRECATED = 'k8s.io/deprecated';
const REMOVED_RELEASE = 'k8s.io/removed-release';

/** The consequences of a request for a deprecated version. */
export interface Deprecation {
  /** Warns the client. */
  warn(exchange: Exchange): void;
  /** Counts the request and annotates its audit event. */
  note(exchange: Exchange): void;
}

/**
 * Handles requests for a deprecated version. Undefined for other versions.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/deprecation/deprecation.go
 */
export function deprecationOf(scope: EndpointScope): Deprecation | undefined {
  const { resource, subresource, versionDefinition, environment } = scope;
  const { deprecated, deprecationWarning } = versionDefinition;
  if (deprecationWarning !== undefined) {
    return {
      warn: ({ context }) => context.warnings.warn(deprecationWarning),
      note: (exchange) => annotate(exchange, undefined),
    };
  }
  if (deprecated === undefined) return undefined;
  const warning = warningText(scope, deprecated);
  const count = environment.metrics.deprecatedRequests({
    ...resource,
    subresource,
    removedRelease: deprecated.removed ?? '',
  });
  return {
    warn: ({ context }) => context.warnings.warn(warning),
    note: (exchange) => {
      annotate(exchange, deprecated.removed);
      count();
    },
  };
}

/** The event of a started watch has no annotation yet: upstream adds it when the request ends. */
function annotate(exchange: Exchange, removedRelease: string | undefined): void {
  const { audit, requestInfo } = exchange.context;
  if (audit === undefined) return;
  const add = () => {
    audit.annotate(DEPRECATED, 'true');
    if (removedRelease !== undefined) audit.annotate(REMOVED_RELEASE, removedRelease);
  };
  if (requestInfo?.verb === 'watch') exchange.onFinished(add);
  else add();
}

type DeprecatedSince = NonNullable<EndpointScope['versionDefinition']['deprecated']>;

function warningText({ kind }: EndpointScope, { since, removed, replacement }: DeprecatedSince): string {
  const until = removed === undefined ? '' : `, unavailable in v${removed}+`;
  const instead = replacement === undefined ? '' : `; use ${replacement}`;
  return `${formatGroupVersion(kind)} ${kind.kind} is deprecated in v${since}+${until}${instead}`;
}
