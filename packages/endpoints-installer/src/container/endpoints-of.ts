import type { KindCodec } from '@apiserver/apimachinery/codec';
import { getOwn } from '@apiserver/apimachinery/json';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type {
  APIGroupInfo,
  InstalledResource,
  ResourceVersionDefinition,
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

/** The resources of a group: each in each version that the group and the resource share. */
export function endpointsOf(info: APIGroupInfo, factory: EndpointFactory): readonly ResourceEndpoints[] {
  return info.versions.flatMap((version) =>
    info.resources.flatMap((installed) => {
      const versionDefinition = installed.definition.versions.find((candidate) => candidate.version === version);
      return versionDefinition === undefined ? [] : new ResourceEndpoints(installed, versionDefinition, factory);
    }),
  );
}

/**
 * The endpoints of a resource and its subresources in one version. Each is made for its first request: most endpoints
 * of a server never get one.
 */
export class ResourceEndpoints {
  readonly installed: InstalledResource;
  readonly #versionDefinition: ResourceVersionDefinition;
  readonly #factory: EndpointFactory;
  #made: Map<string, Endpoint> | undefined = undefined;

  constructor(installed: InstalledResource, versionDefinition: ResourceVersionDefinition, factory: EndpointFactory) {
    this.installed = installed;
    this.#versionDefinition = versionDefinition;
    this.#factory = factory;
  }

  get group(): string {
    return this.installed.definition.group;
  }

  get version(): string {
    return this.#versionDefinition.version;
  }

  get resource(): string {
    return this.installed.definition.resource;
  }

  /** The endpoint of a subresource, or of the resource itself for "". Undefined if the resource lacks it. */
  find(subresource: string): Endpoint | undefined {
    const known = this.#made?.get(subresource);
    if (known !== undefined) return known;
    const made = this.#make(subresource);
    if (made === undefined) return undefined;
    this.#made ??= new Map();
    this.#made.set(subresource, made);
    return made;
  }

  /** The schemas of the objects of all endpoints. */
  schemas(): readonly KindSchema[] {
    const { definition, subresources } = this.installed;
    const own = this.#versionDefinition.schema;
    return [own, ...Object.keys(subresources).map((name) => definition.subresources[name]?.schema ?? own)];
  }

  #make(subresource: string): Endpoint | undefined {
    const { definition } = this.installed;
    const behind = subresource === '' ? this.installed.storage : getOwn(this.installed.subresources, subresource);
    if (behind === undefined) return undefined;
    const declared = definition.subresources[subresource];
    const foreign = foreignVersion(declared, this.#versionDefinition);
    const scope = createEndpointScope({
      definition,
      versionDefinition: foreign ?? this.#versionDefinition,
      foreignKind: foreign !== undefined,
      subresource,
      storage: behind,
      ...this.#factory,
    });
    const { connecter } = behind;
    if (connecter !== undefined) return createConnectEndpoint(scope, { connecter });
    const verbs = subresource === '' ? definition.verbs : (declared?.verbs ?? SUBRESOURCE_VERBS);
    return createEndpoint(scope, bindVerbs(scope, verbs));
  }
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
