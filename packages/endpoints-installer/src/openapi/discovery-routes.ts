import { APIGroup, APIGroupList, APIResourceList, APIVersions } from '@apiserver/api/meta/v1';
import { groupVersionPath } from '@apiserver/apimachinery';
import type { StructSchema } from '@apiserver/apimachinery/schema';
import type { ServedGroup, ServedVersion } from '../discovery/served-group.js';
import { builtInMediaTypes, structuralMediaTypes } from '../negotiation/media-types.js';
import { resourcePolicyOf } from '../semantics/policies.js';
import { versionInfoSchema } from './meta-definitions.js';
import type { OpenApiRoute } from './open-api-route.js';

/** `/api/`: the versions of the core group. */
export function coreRootRoute(): OpenApiRoute {
  return documentRoute('/api/', 'getAPIVersions', 'get available API versions', APIVersions.schema);
}

/** `/apis/`: all other groups. */
export function groupListRoute(): OpenApiRoute {
  return documentRoute('/apis/', 'getAPIVersions', 'get available API versions', APIGroupList.schema);
}

/** `/apis/<group>/`. */
export function groupRoute({ group }: ServedGroup): OpenApiRoute {
  return documentRoute(`/apis/${group}/`, 'getAPIGroup', 'get information of a group', APIGroup.schema);
}

/** `/api/v1/` and `/apis/<group>/<version>/`. */
export function resourceListRoute(group: string, { version, resources }: ServedVersion): OpenApiRoute {
  const path = `${groupVersionPath({ group, version })}/`;
  const described = documentRoute(path, 'getAPIResources', 'get available resources', APIResourceList.schema);
  const hasProtobuf = resources.every(({ definition }) => resourcePolicyOf(definition).hasProtobuf);
  const mediaTypes = hasProtobuf ? builtInMediaTypes : structuralMediaTypes;
  return { ...described, consumes: mediaTypes, produces: mediaTypes };
}

/** `/version/`, for servers that have it. Upstream: k8s.io/apiserver/pkg/server/routes/version.go */
export function versionRoute(): OpenApiRoute {
  const json = ['application/json'];
  const description = 'get the version information for this server';
  return {
    ...documentRoute('/version/', 'getCodeVersion', description, versionInfoSchema),
    consumes: json,
    produces: json,
  };
}

/** The route of the metadata of the token issuer. Upstream: pkg/routes/openidmetadata.go */
export function openIdConfigurationRoute(): OpenApiRoute {
  const description = "get service account issuer OpenID configuration, also known as the 'OIDC discovery doc'";
  return {
    ...documentRoute(
      '/.well-known/openid-configuration/',
      'getServiceAccountIssuerOpenIDConfiguration',
      description,
      undefined,
    ),
    consumes: [],
    produces: ['application/json'],
  };
}

/** The route of the keys that verify tokens. Upstream: pkg/routes/openidmetadata.go */
export function keySetRoute(): OpenApiRoute {
  const description = 'get service account issuer OpenID JSON Web Key Set (contains public token verification keys)';
  return {
    ...documentRoute('/openid/v1/jwks/', 'getServiceAccountIssuerOpenIDKeyset', description, undefined),
    consumes: [],
    produces: ['application/jwk-set+json'],
  };
}

function documentRoute(
  path: string,
  operation: string,
  description: string,
  schema: StructSchema | undefined,
): OpenApiRoute {
  return {
    path,
    method: 'get',
    operation,
    description,
    consumes: builtInMediaTypes,
    produces: builtInMediaTypes,
    parameters: [],
    responses: [{ code: 200, description: 'OK', schema }],
  };
}
