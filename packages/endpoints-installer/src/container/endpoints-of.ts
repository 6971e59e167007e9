import type { KindCodec } from '@apiserver/apimachinery/codec';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type {
  APIGroupInfo,
  InstalledResource,
  ResourceVersionDefinition,
  RestStorage,
  SubresourceDefinition,
} from '@apiserver/apiserver-contracts';
import type { HandlerEnvironment } from '../scope/handler-environment.js';
import { createConnectEndpoint } from './connect-endpoint.js';
import { createEndpointScope } from './create-scope.js';
import { createEndpoint, type Endpoint } from './endpoint.js';
import { bindVerbs } from './verb-routes.js';

/** Dependencies of endpoints. */
export interface EndpointFactory {
  readonly environment: HandlerEnvironment;
  readonly codecFor: (schema: KindSchema) => KindCodec;
}

/** The default verbs of a subresource. */
const SUBRESOURCE_VERBS = ['get', 'update', 'patch'];

/** All endpoints of a group: each resource and subresource in each version that the group and the resource share. */
export function endpointsOf(info: APIGroupInfo, factory: EndpointFactory): readonly Endpoint[] {
  return info.versions.flatMap((version) =>
    info.resources.flatMap((resource) => {
      const versionDefinition = resource.definition.versions.find((candidate) => candidate.version === version);
      return versionDefinition === undefined ? [] : resourceEndpoints(resource, versionDefinition, factory);
    }),
  );
}

function resourceEndpoints(
  { definition, storage, subresources }: InstalledResource,
  versionDefinition: ResourceVersionDefinition,
  { environment, codecFor }: EndpointFactory,
): readonly Endpoint[] {
  const endpoint = (subresource: string, store: RestStorage, verbs: readonly string[]): Endpoint => {
    const foreign = foreignVersion(definition.subresources[subresource], versionDefinition);
    const scope = createEndpointScope({
      definition,
      versionDefinition: foreign ?? versionDefinition,
      foreignKind: foreign !== undefined,
      subresource,
      storage: store,
      environment,
      codecFor,
    });
    const { connecter } = store;
    if (connecter !== undefined) return createConnectEndpoint(scope, { connecter });
    return createEndpoint(scope, bindVerbs(scope, verbs));
  };
  const ofSubresources = Object.entries(subresources).map(([name, store]) =>
    endpoint(name, store, definition.subresources[name]?.verbs ?? SUBRESOURCE_VERBS),
  );
  return [endpoint('', storage, definition.verbs), ...ofSubresources];
}

/** The version of a subresource that has a kind of its own. The custom warning of its parent holds for it too. */
function foreignVersion(
  subresource: SubresourceDefinition | undefined,
  { version, deprecationWarning }: ResourceVersionDefinition,
): ResourceVersionDefinition | undefined {
  if (subresource?.schema === undefined) return undefined;
  const { schema, applyDefaults } = subresource;
  return {
    version,
    schema,
    ...(applyDefaults && { applyDefaults }),
    ...(deprecationWarning !== undefined && { deprecationWarning }),
  };
}
