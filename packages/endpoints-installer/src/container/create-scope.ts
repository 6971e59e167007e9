import type { GroupVersionKind, KubeObject } from '@apiserver/apimachinery';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import { Memo } from '@apiserver/apimachinery/lazy';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type {
  AnyResourceDefinition,
  Column,
  EndpointVersion,
  ResourceVersionDefinition,
  RestStorage,
} from '@apiserver/apiserver-contracts';
import { FieldManager } from '../managed-fields/field-manager.js';
import { builtInMediaTypes, type MediaType, withCbor } from '../negotiation/media-types.js';
import type { TransformTarget } from '../negotiation/negotiate-output.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import type { HandlerEnvironment } from '../scope/handler-environment.js';
import { createObjectForm, type ObjectForm } from '../scope/object-form.js';
import type { KindPolicy } from '../semantics/kind-policy.js';
import { kindPolicyOf, resourcePolicyOf } from '../semantics/policies.js';
import type { ResourcePolicy } from '../semantics/resource-policy.js';

/** Identifies the endpoint of a scope. */
export interface ScopeOptions {
  readonly definition: AnyResourceDefinition;
  /** The definition of the endpoint's version, with the schema of its objects. */
  readonly versionDefinition: ResourceVersionDefinition;
  /** True if the endpoint's objects are not of the resource's kind: they are neither converted nor defaulted. */
  readonly foreignKind: boolean;
  /** "" for the main resource. */
  readonly subresource: string;
  readonly storage: RestStorage;
  readonly environment: HandlerEnvironment;
  /** Compiles each schema once, however many endpoints use it. */
  readonly codecFor: (schema: KindSchema) => KindCodec;
}

/** Returns a function that compiles each schema on its first use and caches the codec. */
export function createCodecCache(): (schema: KindSchema) => KindCodec {
  const codecs = new WeakMap<KindSchema, KindCodec>();
  return (schema) => {
    let codec = codecs.get(schema);
    if (codec === undefined) {
      codec = compileKind(schema);
      codecs.set(schema, codec);
    }
    return codec;
  };
}

/** Creates the scope of an endpoint: the properties that do not depend on the request. Compiles nothing. */
export function createEndpointScope(options: ScopeOptions): EndpointScope {
  return new InstalledScope(options);
}

/** A class, because a server has hundreds of scopes: most of them are never asked for a codec or a form. */
class InstalledScope implements EndpointScope {
  readonly memo = new Memo();
  readonly kind: GroupVersionKind;
  readonly hubKind: GroupVersionKind;
  readonly resource: EndpointScope['resource'];
  readonly columns: readonly Column[];
  readonly resourcePolicy: ResourcePolicy;
  readonly mediaTypes: readonly MediaType[];
  readonly #options: ScopeOptions;
  #forms: Map<MediaType, ObjectForm> | undefined = undefined;
  #fieldManager: FieldManager | undefined = undefined;
  #equivalents: EquivalentVersions | undefined = undefined;

  constructor(options: ScopeOptions) {
    const { definition, versionDefinition, environment, foreignKind } = options;
    const { group, resource, hubVersion } = definition;
    const { schema, version } = versionDefinition;
    this.#options = options;
    this.kind = schema.gvk;
    this.hubKind =
      foreignKind || schema.gvk.version === hubVersion ? schema.gvk : { ...schema.gvk, version: hubVersion };
    this.resource = { group, version, resource };
    this.columns = columnsOf(options);
    this.resourcePolicy = resourcePolicyOf(definition);
    this.mediaTypes = withCbor(builtInMediaTypes, environment.cbor);
  }

  get definition(): AnyResourceDefinition {
    return this.#options.definition;
  }

  get versionDefinition(): ResourceVersionDefinition {
    return this.#options.versionDefinition;
  }

  get subresource(): string {
    return this.#options.subresource;
  }

  get storage(): RestStorage {
    return this.#options.storage;
  }

  get environment(): HandlerEnvironment {
    return this.#options.environment;
  }

  get namespaced(): boolean {
    return this.definition.scope === 'Namespaced';
  }

  get listKind(): string {
    return this.definition.listKind;
  }

  get kindPolicy(): KindPolicy {
    return kindPolicyOf(this.versionDefinition.schema);
  }

  get bodyMediaTypes(): readonly MediaType[] {
    return this.mediaTypes;
  }

  get codec(): KindCodec {
    return this.#options.codecFor(this.versionDefinition.schema);
  }

  get fieldManager(): FieldManager {
    this.#fieldManager ??= new FieldManager(this);
    return this.#fieldManager;
  }

  codecOf(kind: GroupVersionKind): KindCodec | undefined {
    const bodySchema = bodySchemaOf(this.#options, kind);
    return bodySchema && this.#options.codecFor(bodySchema);
  }

  equivalents(): readonly EndpointVersion[] {
    const served = this.environment.equivalents.of(this);
    if (this.#equivalents?.served !== served) {
      this.#equivalents = { served, all: [...served, ...unservedVersions(this.#options, served)] };
    }
    return this.#equivalents.all;
  }

  toVersion(object: KubeObject): KubeObject {
    return this.versionDefinition.fromHub?.(object) ?? object;
  }

  form(mediaType: MediaType): ObjectForm {
    this.#forms ??= new Map();
    let form = this.#forms.get(mediaType);
    if (form === undefined) {
      const { kind, codec, environment } = this;
      const toVersion = (object: KubeObject) => this.toVersion(object);
      form = createObjectForm({ mediaType, kind, codec, cbor: environment.cbor, toVersion });
      this.#forms.set(mediaType, form);
    }
    return form;
  }

  allowsServerVersion(serverVersion: string): boolean {
    return serverVersion === 'v1';
  }

  allowsTransform(mediaType: MediaType, target: TransformTarget | undefined): boolean {
    const isAllowed = allowsTransform(mediaType, target, this.resourcePolicy);
    return isAllowed && (target?.kind !== 'Table' || this.columns.length > 0);
  }
}

/** The schema of a body that states a kind; undefined if the resource has no such schema. */
function bodySchemaOf(
  { definition, versionDefinition, foreignKind }: ScopeOptions,
  kind: GroupVersionKind,
): KindSchema | undefined {
  const { schema } = versionDefinition;
  if (isSameKind(kind, schema.gvk)) return schema;
  if (foreignKind) return undefined;
  return definition.bodySchema?.(kind) ?? definition.versions.find((one) => isSameKind(kind, one.schema.gvk))?.schema;
}

function isSameKind(one: GroupVersionKind, other: GroupVersionKind): boolean {
  return one.version === other.version && one.kind === other.kind && one.group === other.group;
}

/** The equivalents of an endpoint, derived from the served ones. */
interface EquivalentVersions {
  readonly served: readonly EndpointVersion[];
  readonly all: readonly EndpointVersion[];
}

/** Upstream registers the versions of a custom resource whether they are served or not. */
function unservedVersions(
  { definition, foreignKind, codecFor }: ScopeOptions,
  served: readonly EndpointVersion[],
): readonly EndpointVersion[] {
  const { group, resource, otherVersions = [] } = definition;
  if (foreignKind) return [];
  return otherVersions
    .filter(({ version }) => !served.some((one) => one.resource.version === version))
    .map((versionDefinition) => ({
      versionDefinition,
      kind: versionDefinition.schema.gvk,
      resource: { group, version: versionDefinition.version, resource },
      get codec() {
        return codecFor(versionDefinition.schema);
      },
    }));
}

function columnsOf({ definition, subresource, foreignKind }: ScopeOptions): readonly Column[] {
  if (subresource === '') return definition.columns;
  return definition.subresources[subresource]?.columns ?? (foreignKind ? [] : definition.columns);
}

const METADATA_KINDS: ReadonlySet<string> = new Set(['PartialObjectMetadata', 'PartialObjectMetadataList']);

/** Upstream: AllowsMediaTypeTransform in k8s.io/apiserver/pkg/endpoints/handlers/rest.go */
function allowsTransform(
  mediaType: MediaType,
  target: TransformTarget | undefined,
  { hasProtobuf }: ResourcePolicy,
): boolean {
  if (target === undefined) return hasProtobuf || mediaType !== 'application/vnd.kubernetes.protobuf';
  if (target.group !== 'meta.k8s.io' || !['v1', 'v1beta1'].includes(target.version)) return false;
  if (target.kind === 'Table') return mediaType === 'application/json' || mediaType === 'application/yaml';
  return METADATA_KINDS.has(target.kind);
}
