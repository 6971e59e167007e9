import { formatGroupVersion, type KubeObject, tryParseGroupVersion } from '@apiserver/apimachinery';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import { stringifyJson } from '@apiserver/apimachinery/codec/json';
import { messageOf } from '@apiserver/apimachinery/errors';
import {
  ConversionFailure,
  EMPTY_SET,
  FieldSet,
  fieldPathOf,
  type MergeContext,
  type MergeType,
  MergeTypeError,
  mergeTypeOfKind,
  type TypedValue,
  validateValue,
} from '@apiserver/apimachinery/structured-merge-diff';
import type { ResourceVersionDefinition } from '@apiserver/apiserver-contracts';
import type { ObjectScope } from '../scope/object-scope.js';
import type { TrackingPolicy } from '../semantics/kind-policy.js';
import { kindPolicyOf } from '../semantics/policies.js';
import { ConversionNeeded } from './with-conversions.js';

/** A version to which the objects of an endpoint can be converted. */
interface ObjectVersion {
  readonly apiVersion: string;
  readonly definition: ResourceVersionDefinition;
  readonly type: MergeType;
  readonly policy: TrackingPolicy;
  readonly codec: KindCodec;
}

/**
 * The versions of an endpoint's objects, for managed fields. A manager's fields are paths in the manager's version. A
 * version is compiled on its first use.
 *
 * Upstream: k8s.io/apimachinery/pkg/util/managedfields/internal/versionconverter.go
 */
export class ObjectVersions implements MergeContext {
  /** Fields that the endpoint resets, in its own version. */
  readonly resetFields: FieldSet;
  /** The endpoint's own version. */
  readonly apiVersion: string;
  readonly #resetVersions: readonly string[] | undefined;
  readonly #scope: ObjectScope;
  readonly #definitions: ReadonlyMap<string, ResourceVersionDefinition>;
  readonly #versions = new Map<string, ObjectVersion>();
  /** Results of a webhook for merges under way, by version and object. */
  readonly #converted = new Map<string, KubeObject | ConversionFailure>();
  #zero: TypedValue | undefined;

  constructor(scope: ObjectScope) {
    const { definition, subresource, versionDefinition } = scope;
    const foreign = versionDefinition.schema.gvk.kind !== definition.kind;
    const definitions = foreign
      ? [versionDefinition]
      : [...definition.versions, ...(definition.otherVersions ?? []), ...(definition.storedAs?.versions ?? [])];
    const { strategy } = definition.subresources[subresource] ?? definition.storedAs ?? definition;
    this.#scope = scope;
    this.apiVersion = formatGroupVersion(scope.kind);
    // Upstream's type converters of /api and of /apis have no types of the other: an Event loses managers in them.
    const together = definitions.filter(({ schema }) => (schema.gvk.group === '') === (scope.kind.group === ''));
    this.#definitions = new Map(together.map((version) => [formatGroupVersion(version.schema.gvk), version]));
    this.#resetVersions = strategy.resetVersions;
    this.resetFields = FieldSet.of(...(strategy.resetFields ?? []).map((path) => fieldPathOf(...path.split('.'))));
  }

  get type(): MergeType {
    return this.#own.type;
  }

  resetFieldsIn(apiVersion: string): FieldSet {
    const { resetsOtherVersions } = this.#scope.kindPolicy.tracking;
    const isOtherReset = this.#resetVersions?.includes(apiVersion) ?? resetsOtherVersions;
    return apiVersion === this.apiVersion || isOtherReset ? this.resetFields : EMPTY_SET;
  }

  /** Converts an object of the hub version to a value of the endpoint's version. */
  typed(object: KubeObject): TypedValue {
    return { apiVersion: this.apiVersion, type: this.type, value: this.#scope.toVersion(object) };
  }

  /** The object before its creation: its kind, and the fields that are always present. */
  get zero(): TypedValue {
    this.#zero ??= { apiVersion: this.apiVersion, type: this.type, value: this.#zeroValue() };
    return this.#zero;
  }

  /**
   * Throws ConversionFailure for a failed conversion, and for a value that the other version cannot represent. A version that
   * a custom resource no longer has, or that is none, gets one too.
   */
  convert(typed: TypedValue, apiVersion: string): TypedValue | undefined {
    const from = typed.apiVersion;
    const source = this.#version(from);
    const target = this.#version(apiVersion);
    if (source === undefined || target === undefined) {
      const unknown = target === undefined ? apiVersion : from;
      if (tryParseGroupVersion(unknown) === undefined) {
        throw new ConversionFailure([`unexpected GroupVersion string: ${unknown}`]);
      }
      const missing = this.#scope.kindPolicy.tracking.missingVersion(unknown);
      if (missing !== undefined) throw new ConversionFailure([missing]);
      return undefined;
    }
    const object = source.policy.decoded(source.codec, objectOf(typed));
    const converted = this.#byWebhook(object, apiVersion) ?? this.#byHub(object, source, target);
    checkConverted(target.type, converted);
    return { apiVersion, type: target.type, value: converted };
  }

  withoutEmpty(typed: TypedValue): TypedValue {
    const version = this.#version(typed.apiVersion);
    return version === undefined
      ? typed
      : { ...typed, value: version.policy.withoutEmpty(version.codec, objectOf(typed)) };
  }

  #byHub(object: KubeObject, source: ObjectVersion, target: ObjectVersion): KubeObject {
    const hub = source.definition.toHub?.(object) ?? object;
    return { ...target.policy.fromHub(target.definition, hub), apiVersion: target.apiVersion };
  }

  /** Undefined if versions convert by the hub. Throws ConversionNeeded, and ConversionFailure for a failed conversion. */
  #byWebhook(object: KubeObject, apiVersion: string): KubeObject | undefined {
    const { convert } = this.#scope.definition;
    if (convert === undefined) return undefined;
    const key = `${apiVersion} ${stringifyJson(object)}`;
    const known = this.#converted.get(key);
    if (known instanceof ConversionFailure) throw known;
    if (known !== undefined) return known;
    throw new ConversionNeeded({
      convert: async () => {
        const result = await settled(async () => await convert(object, apiVersion));
        this.#converted.set(key, result);
      },
      forget: () => this.#converted.delete(key),
    });
  }

  get #own(): ObjectVersion {
    const own = this.#version(this.apiVersion);
    if (own === undefined) throw new TypeError(`${this.apiVersion} is no version of ${this.#scope.kind.kind}`);
    return own;
  }

  #version(apiVersion: string): ObjectVersion | undefined {
    let version = this.#versions.get(apiVersion);
    const definition = this.#definitions.get(apiVersion);
    if (version === undefined && definition !== undefined) {
      version = this.#compile(apiVersion, definition);
      this.#versions.set(apiVersion, version);
    }
    return version;
  }

  #compile(apiVersion: string, definition: ResourceVersionDefinition): ObjectVersion {
    const { schema } = definition;
    const own = apiVersion === this.apiVersion;
    return {
      apiVersion,
      definition,
      type: mergeTypeOfKind(schema),
      policy: kindPolicyOf(schema).tracking,
      codec: own ? this.#scope.codec : compileKind(schema),
    };
  }

  #zeroValue(): KubeObject {
    const bare: KubeObject = { apiVersion: this.apiVersion, kind: this.#scope.kind.kind, metadata: {} };
    return this.#scope.kindPolicy.tracking.emptyObject(this.#scope.codec, bare);
  }
}

/** Values of whole objects are objects. */
function objectOf({ value }: TypedValue): KubeObject {
  return value as KubeObject;
}

/** Throws ConversionFailure, because only errors of the merge itself are named as such. */
function checkConverted(type: MergeType, converted: KubeObject): void {
  try {
    validateValue(type, converted, { allowDuplicates: false });
  } catch (error) {
    throw error instanceof MergeTypeError ? new ConversionFailure([error.message]) : error;
  }
}

async function settled(convert: () => Promise<KubeObject>): Promise<KubeObject | ConversionFailure> {
  try {
    return await convert();
  } catch (error) {
    return new ConversionFailure([messageOf(error)]);
  }
}
