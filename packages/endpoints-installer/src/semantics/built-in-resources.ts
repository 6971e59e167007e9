import { builtInMediaTypes } from '../negotiation/media-types.js';
import { APPLY_PATCH } from '../negotiation/patch-types.js';
import { builtInRouting } from './built-in-routing.js';
import { internalGoType } from './go-type-name.js';
import type { ResourcePolicy } from './resource-policy.js';
import { wrongShape } from './wrong-shape.js';

/**
 * The schemes of the servers beside the core one, named after the places in upstream's source that make them.
 *
 * Upstream: k8s.io/apimachinery/pkg/util/naming/from_stack.go
 */
const SCHEMES: ReadonlyMap<string, string> = new Map([
  ['apiextensions.k8s.io', 'pkg/apiserver/apiserver.go:55'],
  ['apiregistration.k8s.io', 'pkg/apiserver/scheme/scheme.go:28'],
]);

/** The policy of built-in resources, which upstream serves by Go types and installed routes. */
export const builtInResources: ResourcePolicy = {
  routing: builtInRouting,
  discovery: {
    hasRoutes: true,
    ranksVersionsByName: false,
    alwaysHasHash: false,
    // By name, like routes.
    compareSubresources: (a, b) => (a < b ? -1 : 1),
  },
  openApi: {
    isInScheme: true,
    documentsDiscovery: true,
    documentsWatches: true,
    documentsGetOptions: false,
    documentsCollectionOptions: true,
    documentsCreatingPatch: true,
    namesResourceKind: false,
    consumes: ['*/*'],
    produces: builtInMediaTypes,
    listsDescribeThemselves: false,
  },
  patchTypes: [
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/strategic-merge-patch+json',
    APPLY_PATCH,
  ],
  hasProtobuf: true,
  declaresSelectors: ({ selectableFieldNames }) => selectableFieldNames.length > 0,
  schemeName: ({ group }) => SCHEMES.get(group) ?? 'pkg/api/legacyscheme/scheme.go:30',
  bodyFault: () => undefined,
  conversionFault: () => undefined,
  notAList: (requested, kind) => wrongShape(requested, 'is not a list', internalGoType(kind)),
  notAnObject: (requested, listKind) => wrongShape(requested, 'is a list', internalGoType(listKind)),
};
