import { formatGroupVersion } from '@apiserver/apimachinery';
import { plainFailure } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import { structuralMediaTypes } from '../negotiation/media-types.js';
import { APPLY_PATCH } from '../negotiation/patch-types.js';
import { customRouting } from './custom-routing.js';
import { versionedGoType } from './go-type-name.js';
import type { ResourcePolicy } from './resource-policy.js';
import { wrongShape } from './wrong-shape.js';

/**
 * In upstream's order. Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_discovery_controller.go
 */
const SUBRESOURCES = ['status', 'scale'];

/** Upstream: NewScaleConverter of k8s.io/client-go/scale/util.go */
const SCALE_SCHEME = 'k8s.io/client-go/scale/util.go:146';

/** Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go */
const PARAMETER_SCHEME = 'pkg/apiserver/customresource_handler.go:781';

/** The policy of custom resources: untyped objects behind upstream's handler of apiextensions. */
export const customResources: ResourcePolicy = {
  routing: customRouting,
  discovery: {
    hasRoutes: false,
    // Definitions are installed in any order.
    ranksVersionsByName: true,
    alwaysHasHash: true,
    compareSubresources: (a, b) => SUBRESOURCES.indexOf(a) - SUBRESOURCES.indexOf(b),
  },
  // Upstream: k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder/builder.go
  openApi: {
    isInScheme: false,
    documentsDiscovery: false,
    documentsWatches: false,
    documentsGetOptions: true,
    documentsCollectionOptions: false,
    documentsCreatingPatch: false,
    namesResourceKind: true,
    consumes: structuralMediaTypes,
    produces: structuralMediaTypes,
    listsDescribeThemselves: true,
  },
  patchTypes: ['application/json-patch+json', 'application/merge-patch+json', APPLY_PATCH],
  hasProtobuf: false,
  declaresSelectors: () => true,
  // Only a scale has a Go type.
  schemeName: () => SCALE_SCHEME,
  bodyFault: (kind, definition) =>
    kind.kind === definition.kind
      ? undefined
      : `no kind is registered for the type ${versionedGoType(kind)} in scheme ${quote(PARAMETER_SCHEME)}`,
  // The converter of upstream takes every object without a Go type for a custom resource. A merged scale is one.
  conversionFault: (kind, definition) =>
    kind.kind === definition.kind
      ? undefined
      : `request to convert CR to an invalid group/version: ${formatGroupVersion(kind)}`,
  // Upstream treats every custom resource as a list until it reads the items. A scale has a Go type.
  notAList: (requested, kind, definition) =>
    kind.kind === definition.kind
      ? plainFailure(500, 'content is not a list')
      : wrongShape(requested, 'is not a list', versionedGoType(kind)),
  notAnObject: (requested) => wrongShape(requested, 'is a list', 'unstructured.UnstructuredList'),
};
