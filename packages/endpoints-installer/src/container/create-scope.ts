import type { GroupVersionKind } from '@apiserver/apimachinery';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
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
  const { definition, versionDefinition, subresource, storage, environment } = options;
  const { group, resource } = definition;
  const { schema, fromHub } = versionDefinition;
  const kind: GroupVersionKind = schema.gvk;
  const forms = new Map<MediaType, ObjectForm>();
  const mediaTypes = withCbor(builtInMediaTypes, environment.cbor);
  const resourcePolicy = resourcePolicyOf(definition);
  const columns = columnsOf(options);
  let fieldManager: FieldManager | undefined;
  let equivalents: EquivalentVersions | undefined;
  const scope: EndpointScope = {
    definition,
    versionDefinition,
    kind,
    hubKind: options.foreignKind ? kind : { ...kind, version: definition.hubVersion },
    resource: { group, version: versionDefinition.version, resource },
    subresource,
    namespaced: definition.scope === 'Namespaced',
    listKind: definition.listKind,
    columns,
    storage,
    resourcePolicy,
    kindPolicy: kindPolicyOf(schema),
    environment,
    mediaTypes,
    bodyMediaTypes: mediaTypes,
    get codec() {
      return options.codecFor(schema);
    },
    codecOf: (kind) => {
      const bodySchema = bodySchemaOf(options, kind);
      return bodySchema && options.codecFor(bodySchema);
    },
    get fieldManager() {
      fieldManager ??= new FieldManager(scope);
      return fieldManager;
    },
    equivalents: () => {
      const served = environment.equivalents.of(scope);
      if (equivalents?.served !== served)
        equivalents = { served, all: [...served, ...unservedVersions(options, served)] };
      return equivalents.all;
    },
    toVersion: (object) => fromHub?.(object) ?? object,
    form: (mediaType) => {
      let form = forms.get(mediaType);
      if (form === undefined) {
        const { codec, toVersion } = scope;
        form = createObjectForm({ mediaType, kind, codec, cbor: environment.cbor, toVersion });
        forms.set(mediaType, form);
      }
      return form;
    },
    allowsServerVersion: (serverVersion) => serverVersion === 'v1',
    allowsTransform: (mediaType, target) =>
      allowsTransform(mediaType, target, resourcePolicy) && (target?.kind !== 'Table' || columns.length > 0),
  };
  return scope;
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

const metadataKinds: ReadonlySet<string> = new Set(['PartialObjectMetadata', 'PartialObjectMetadataList']);

/** Upstream: AllowsMediaTypeTransform in k8s.io/apiserver/pkg/endpoints/handlers/rest.go */
function allowsTransform(
  mediaType: MediaType,
  target: TransformTarget | undefined,
  { hasProtobuf }: ResourcePolicy,
): boolean {
  if (target === undefined) return hasProtobuf || mediaType !== 'application/vnd.kubernetes.protobuf';
  if (target.group !== 'meta.k8s.io' || !['v1', 'v1beta1'].includes(target.version)) return false;
  if (target.kind === 'Table') return mediaType === 'application/json' || mediaType === 'application/yaml';
  return metadataKinds.has(target.kind);
}
