import {
  formatGroupVersion,
  type GroupVersionKind,
  type Json,
  type JsonObject,
  tryParseGroupVersion,
} from '@apiserver/apimachinery';
import { atOnce } from '@apiserver/apimachinery/clock';
import type { Decoded, DecodingSteps, KindCodec } from '@apiserver/apimachinery/codec';
import {
  checkJson,
  isLargeJson,
  outlineOrValue,
  outlineWithTypes,
  type ParsedJson,
  parseJson,
  stringifyJson,
} from '@apiserver/apimachinery/codec/json';
import { unwrapUnknown } from '@apiserver/apimachinery/codec/protobuf';
import { type YamlDocument, type YamlText, yamlToJson } from '@apiserver/apimachinery/codec/yaml';
import { type DecodeError, isDecodeError } from '@apiserver/apimachinery/errors';
import { isMembers } from '@apiserver/apimachinery/json';
import { quote, quoteWithBytes } from '@apiserver/apimachinery/text';
import type { MediaType } from '../negotiation/media-types.js';
import type { ValidationDirective } from '../options/write-options.js';
import type { Cbor } from '../scope/cbor.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { servedCbor } from '../scope/object-form.js';
import { internalGoType, versionedGoType } from '../semantics/go-type-name.js';
import { MAX_BODY_VALUES, refuseManyCborItems, refuseManyMembers, tooManyValues } from './body-values.js';
import { LARGE } from './event-loop-turns.js';
import type { ReadYaml } from './large-yaml.js';
import { resetsManagedFields } from './reset-marker.js';
import {
  checkedTypeMeta,
  jsonTypeMeta,
  sortedMembers,
  typeMetaOf,
  typeMetaOfMembers,
  withoutKind,
} from './type-meta.js';

/** A body with a known kind, not decoded otherwise. */
export interface OpenedBody {
  /** As sent; "" if absent. */
  readonly apiVersion: string;
  readonly kind: string;
  /** The member with exactly this name, as sent. The properties above ignore the case of names. */
  member(name: 'apiVersion' | 'kind'): unknown;
  /** The fault of a body that cannot be decoded, where upstream decodes before it looks for a kind. */
  readonly fault?: DecodeError;
  /** True if it has an empty list of managed fields, which decoding drops. */
  readonly resetsManagedFields: boolean;
  /** Decodes the body at once. */
  decode<T extends object>(codec: KindCodec<T>, directive: ValidationDirective): Decoded<T>;
  /** Decodes a large body in steps of a few milliseconds. Absent if `decode` is as fast. */
  decodeSteps?<T extends object>(codec: KindCodec<T>, directive: ValidationDirective): DecodingSteps<Decoded<T>>;
}

/**
 * Reads the kind of a body. Large YAML has already been read. Throws DecodeError if the kind cannot be determined.
 *
 * Upstream: SimpleMetaFactory in k8s.io/apimachinery/pkg/runtime/serializer/json/meta.go
 */
export function openBody(
  bytes: Uint8Array,
  mediaType: MediaType,
  cbor: Cbor | undefined,
  readYaml?: ReadYaml,
): OpenedBody {
  switch (mediaType) {
    case 'application/json':
      return openJson(bytes);
    case 'application/yaml':
      return readYaml === undefined ? openYaml(bytes) : openYamlText(readYaml());
    case 'application/cbor':
      return openCbor(bytes, servedCbor(cbor));
    default:
      return openProtobuf(bytes);
  }
}

function openJson(bytes: Uint8Array): OpenedBody {
  try {
    if (isLargeJson(bytes)) return openLargeJson(bytes);
    const parsed = parseJson(bytes);
    const outline = outlineOrValue(parsed);
    return {
      ...(repeatsNames(parsed) ? typeMetaOfMembers(outlineWithTypes(parsed).types) : typeMetaOf(outline)),
      member: (name) => wellFormed(ownMember(outline, name)),
      resetsManagedFields: resetsManagedFields(outline),
      decode: (codec, directive) => codec.decodeParsed(parsed, directive),
    };
  } catch (error) {
    throw isDecodeError(error) ? withoutKind(error) : error;
  }
}

/** Reports whether several members of the object have one name. */
function repeatsNames({ value, scan }: ParsedJson): boolean {
  return isMembers(value) && Object.keys(value).length !== scan.ownMembers;
}

/** Go's decoder replaces halves of surrogate pairs. */
function wellFormed(value: Json | undefined): Json | undefined {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

function openLargeJson(bytes: Uint8Array): OpenedBody {
  const checked = checkJson(bytes);
  const { outline, types } = outlineWithTypes(checked);
  return {
    ...(isMembers(outline) ? typeMetaOfMembers(types) : typeMetaOf(outline)),
    member: (name) => ownMember(outline, name),
    resetsManagedFields: resetsManagedFields(outline),
    decode: (codec, directive) => atOnce(codec.decodeSteps(checked, directive)),
    decodeSteps: (codec, directive) => codec.decodeSteps(checked, directive),
  };
}

function openYaml(bytes: Uint8Array): OpenedBody {
  const document = yamlToJson(bytes);
  const { value } = document;
  // Aliases yield many values from a few bytes.
  refuseManyMembers(value);
  return {
    ...jsonTypeMeta(value, sortedMembers),
    member: (name) => ownMember(value, name),
    resetsManagedFields: resetsManagedFields(value),
    decode: (codec, directive) => codec.fromYaml(document, directive),
    ...(isLargeJson(bytes) && { decodeSteps: (codec, directive) => yamlSteps(codec, document, directive) }),
  };
}

/** Opens YAML that was converted to JSON text. */
function openYamlText({ json, duplicates }: YamlText): OpenedBody {
  const { decode, decodeSteps, ...opened } = openJson(json);
  return {
    ...opened,
    decode: (codec, directive) => withDuplicates(decode(codec, directive), duplicates, directive),
    ...(decodeSteps && {
      decodeSteps: function* (codec, directive) {
        return withDuplicates(yield* decodeSteps(codec, directive), duplicates, directive);
      },
    }),
  };
}

/** The object of large YAML, from its JSON text, as upstream. */
function* yamlSteps<T extends object>(
  codec: KindCodec<T>,
  { value, duplicates }: YamlDocument,
  directive: ValidationDirective,
): DecodingSteps<Decoded<T>> {
  yield;
  const json = Buffer.from(stringifyJson(value), 'utf8');
  yield;
  const checked = checkJson(json);
  yield;
  return withDuplicates(yield* codec.decodeSteps(checked, directive), duplicates, directive);
}

/** The decoded object, with duplicate keys among its errors. */
function withDuplicates<T>(
  decoded: Decoded<T>,
  duplicates: string | undefined,
  directive: ValidationDirective,
): Decoded<T> {
  if (duplicates === undefined || directive === 'Ignore') return decoded;
  return { object: decoded.object, strictErrors: [duplicates, ...decoded.strictErrors] };
}

function openProtobuf(bytes: Uint8Array): OpenedBody {
  const { apiVersion, kind, raw } = unwrapUnknown(bytes);
  return checkedTypeMeta({
    apiVersion,
    kind,
    member: (name: 'apiVersion' | 'kind') => (name === 'kind' ? kind : apiVersion),
    resetsManagedFields: false,
    decode: <T extends object>(codec: KindCodec<T>) => ({ object: fromProtobuf(codec, raw), strictErrors: [] }),
    ...(raw.length > LARGE && {
      decodeSteps: function* <T extends object>(codec: KindCodec<T>) {
        return { object: yield* fromProtobufSteps(codec, raw), strictErrors: [] };
      },
    }),
  });
}

function fromProtobuf<T extends object>(codec: KindCodec<T>, message: Uint8Array): T {
  try {
    return codec.decodeProtobufMessage(message, MAX_BODY_VALUES).object;
  } catch (error) {
    throw protobufFault(error);
  }
}

function* fromProtobufSteps<T extends object>(codec: KindCodec<T>, message: Uint8Array): DecodingSteps<T> {
  try {
    return (yield* codec.decodeProtobufMessageSteps(message, MAX_BODY_VALUES)).object;
  } catch (error) {
    throw protobufFault(error);
  }
}

function protobufFault(error: unknown): unknown {
  return isDecodeError(error) && error.reason === 'values' ? tooManyValues() : error;
}

/** An apiVersion that is not a group version counts as empty, as upstream. */
function openCbor(bytes: Uint8Array, cbor: Cbor): OpenedBody {
  refuseManyCborItems(bytes);
  const { apiVersion: named, kind } = cbor.cborTypeMeta(bytes);
  const apiVersion = tryParseGroupVersion(named) === undefined ? '' : named;
  return {
    apiVersion,
    kind,
    member: (name) => (name === 'kind' ? kind : apiVersion),
    resetsManagedFields: resetsManagedFields(cbor.cborManagedFields(bytes)),
    decode: (codec, directive) => cbor.decodeCbor(codec, bytes, directive),
    decodeSteps: (codec, directive) => cbor.decodeCborSteps(codec, bytes, directive),
  };
}

/**
 * Opens CBOR of a custom kind, in steps: upstream decodes it before it looks for a kind, whose members may have any
 * type. Throws DecodeError if neither can be read.
 */
export function* openCborMapSteps(bytes: Uint8Array, cbor: Cbor): DecodingSteps<OpenedBody> {
  refuseManyCborItems(bytes);
  yield;
  let map: JsonObject;
  try {
    map = yield* cbor.decodeCborMapSteps(bytes);
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    return { ...openCbor(bytes, cbor), fault: error };
  }
  const [kind, apiVersion] = [map['kind'], map['apiVersion']];
  const parsed = typeof apiVersion === 'string' ? tryParseGroupVersion(apiVersion) : { group: '', version: '' };
  return {
    apiVersion: typeof apiVersion === 'string' && parsed !== undefined ? apiVersion : '',
    kind: typeof kind === 'string' ? kind : '',
    // Without a group version upstream sees no kind either.
    member: (name) => (parsed === undefined ? undefined : map[name]),
    resetsManagedFields: resetsManagedFields(map),
    decode: (codec) => codec.fromJson(map, 'Ignore'),
    decodeSteps: (codec) => codec.fromJsonSteps(map, 'Ignore'),
  };
}

/** The own property of this name; undefined if there is none. */
export function ownMember(value: Json, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/**
 * The reason why an object of this kind cannot belong to the endpoint, in any version; undefined if it can.
 *
 * Upstream: k8s.io/apimachinery/pkg/runtime (NewNotRegisteredErrForKind, conversion.Converter)
 */
export function kindMismatch(scope: EndpointScope, kind: GroupVersionKind): string | undefined {
  if (!scope.kindPolicy.body.refusesOtherKinds) return undefined;
  const sameKind = kind.group === scope.kind.group && kind.kind === scope.kind.kind;
  if (sameKind && isServedVersion(scope, kind.version)) return undefined;
  if (scope.environment.knowsKind(kind)) {
    return `converting (${versionedGoType(kind)}) to (${internalGoType(scope.kind)}): unknown conversion`;
  }
  return notRegistered(scope, kind.kind, `version ${quoteWithBytes(formatGroupVersion(kind))}`);
}

/** The same for a document without apiVersion, which upstream takes for one of the internal version. */
export function internalKindMismatch(scope: EndpointScope, kind: string): string | undefined {
  if (kind === '' || kind === scope.kind.kind) return undefined;
  return notRegistered(scope, kind, `the internal version of group ${quote(scope.kind.group)}`);
}

function notRegistered({ resourcePolicy, kind }: EndpointScope, named: string, version: string): string {
  const scheme = quote(resourcePolicy.schemeName(kind));
  return `no kind ${quoteWithBytes(named)} is registered for ${version} in scheme ${scheme}`;
}

function isServedVersion(scope: EndpointScope, version: string): boolean {
  return acceptsVersion(scope, version) || scope.definition.versions.some((served) => served.version === version);
}

/** Reports whether only stored objects have this version of the endpoint's kind. */
export function isVersionAtRest(
  { kind, definition }: EndpointScope,
  { group, version, kind: named }: GroupVersionKind,
): boolean {
  if (group !== kind.group || named !== kind.kind) return false;
  return definition.otherVersions?.some((other) => other.version === version) ?? false;
}

/** Reports whether the endpoint accepts a body in a version. */
export function acceptsVersion({ kind, definition, subresource }: EndpointScope, version: string): boolean {
  if (version === kind.version) return true;
  return definition.subresources[subresource]?.acceptsVersions?.includes(version) ?? false;
}
