import { ScopedResourceSelectorRequirement } from '@apiserver/api/core/v1';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import { list, OMIT_EMPTY, STRING, type StructSchema, struct } from '@apiserver/apimachinery/schema';
import { ConfigurationError } from '@apiserver/component-base/configuration';
import { decodeConfiguration } from '../plugin-configuration.js';
import type { LimitedResource } from './limited-resources.js';

const KINDS = [
  { group: 'apiserver.config.k8s.io', version: 'v1', kind: 'ResourceQuotaConfiguration' },
  { group: 'resourcequota.admission.k8s.io', version: 'v1beta1', kind: 'Configuration' },
  { group: 'resourcequota.admission.k8s.io', version: 'v1alpha1', kind: 'Configuration' },
];

/** The configuration of ResourceQuota; its versions have the same fields. */
interface QuotaConfiguration {
  readonly limitedResources: readonly LimitedResource[] | null;
}

/**
 * Reads the configuration of ResourceQuota. Throws a ConfigurationError with upstream's text.
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/resourcequota/config.go
 */
export function limitedResourcesOf(configuration: unknown): readonly LimitedResource[] {
  if (configuration === undefined) return [];
  const decoded = decodeConfiguration<QuotaConfiguration>(configuration, {
    kinds: KINDS,
    schema: configurationSchema(),
    scheme: 'pkg/admission/plugin/resourcequota/config.go:31',
  });
  const limited = decoded.limitedResources ?? [];
  const faults = limited.flatMap(({ resource }, i) =>
    resource === '' ? [`limitedResources[${i}].resource: Required value`] : [],
  );
  if (faults.length > 0) throw new ConfigurationError(aggregateMessages(faults));
  return limited;
}

/** Made on demand: most servers need none. */
function configurationSchema(): StructSchema {
  const limited = struct('resourcequota.v1.LimitedResource', 'v1.LimitedResource', () => [
    ['apiGroup', 0, STRING, OMIT_EMPTY],
    ['resource', 0, STRING],
    ['matchContains', 0, list(STRING), OMIT_EMPTY],
    ['matchScopes', 0, list(ScopedResourceSelectorRequirement), OMIT_EMPTY],
  ]);
  return struct('resourcequota.v1.Configuration', 'v1.Configuration', () => [
    ['kind', 0, STRING, OMIT_EMPTY],
    ['apiVersion', 0, STRING, OMIT_EMPTY],
    ['limitedResources', 0, list(limited)],
  ]);
}
