import { EndpointSlice } from '@apiserver/api/discovery/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import type { FeatureGates, Strategy } from '@apiserver/apiserver-contracts';
import { countGeneration, equalSemantically } from '@apiserver/resource-kit';
import { warningsForIP } from '../../core/validation/ip-fields.js';
import { dropDeprecatedTopology } from './deprecated-topology.js';
import { validateEndpointSlice, validateEndpointSliceUpdate } from './validation.js';

const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
/** Controllers that write canonical addresses, which are not checked for warnings. */
const KNOWN_CONTROLLERS: ReadonlySet<string | undefined> = new Set([
  'endpointslice-controller.k8s.io',
  'endpointslicemirroring-controller.k8s.io',
]);

/** Upstream: pkg/registry/discovery/endpointslice/strategy.go */
export function endpointSliceStrategy(features: FeatureGates): Strategy<EndpointSlice> {
  const rules = { strict: features.enabled('StrictIPCIDRValidation') };
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    prepareForCreate(_context, slice) {
      slice.metadata.generation = 1;
      dropDeprecatedTopology(slice, undefined);
    },
    validate: (_context, slice) => validateEndpointSlice(slice, rules),
    warningsOnCreate: (_context, slice) => [
      ...(slice.addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
      ...addressWarnings(slice),
    ],
    prepareForUpdate(_context, slice, old) {
      if (!hasEqualContent(slice, old)) countGeneration(slice, old);
      dropDeprecatedTopology(slice, old);
    },
    validateUpdate: (_context, slice, old) => validateEndpointSliceUpdate(slice, old, rules),
    warningsOnUpdate: (_context, slice) => addressWarnings(slice),
  };
}

/** Compares everything but the metadata, and also the labels, by which slices are found. */
function hasEqualContent(slice: EndpointSlice, old: EndpointSlice): boolean {
  const { metadata, ...content } = slice;
  const { metadata: oldMetadata, ...oldContent } = old;
  const isSame = equalSemantically(content, oldContent, EndpointSlice.schema);
  return isSame && equalJson(metadata.labels ?? {}, oldMetadata.labels ?? {});
}

function addressWarnings({ metadata, endpoints }: EndpointSlice): string[] {
  if (KNOWN_CONTROLLERS.has(metadata.labels?.[MANAGED_BY])) return [];
  const path = FieldPath.of('endpoints');
  return (endpoints ?? []).flatMap(({ addresses }, i) =>
    (addresses ?? []).flatMap((address, j) => warningsForIP(address, path.index(i).child('addresses').index(j))),
  );
}
