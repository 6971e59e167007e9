import { formatGroupVersion, type KubeObject } from '@apiserver/apimachinery';
import { newInternalError } from '@apiserver/apimachinery/errors';
import type { AdmissionAttributes, EndpointVersion, RequestScope } from '@apiserver/apiserver-contracts';

/**
 * A request with its objects in one version. The objects may be shared, and must not be changed.
 * Upstream: k8s.io/apiserver/pkg/admission.VersionedAttributes
 */
export interface VersionedAttributes {
  readonly attributes: AdmissionAttributes;
  readonly version: EndpointVersion;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

/**
 * The objects of one request in the versions that its webhooks and policies select. Each version is made once; a change
 * of the object replaces all of them.
 * Upstream: versionedAttributeAccessor of k8s.io/apiserver/pkg/admission/plugin/webhook
 */
export class VersionedRequest {
  readonly attributes: AdmissionAttributes;
  readonly #versions = new Map<string, VersionedAttributes>();

  constructor(attributes: AdmissionAttributes) {
    this.attributes = attributes;
  }

  /** A promise only if a webhook must convert the objects. Throws a 500 if they cannot be converted. */
  at(version: EndpointVersion): VersionedAttributes | Promise<VersionedAttributes> {
    const key = keyOf(version);
    const known = this.#versions.get(key);
    if (known !== undefined) return known;
    const { scope, object, oldObject } = this.attributes;
    const oldInVersion = oldObject && this.#guard(() => fromHub(scope, version, oldObject));
    const inVersion = object && this.#guard(() => fromHub(scope, version, object));
    if (oldInVersion instanceof Promise || inVersion instanceof Promise) {
      return Promise.all([inVersion, oldInVersion]).then(([one, old]) => this.#keep(key, version, one, old));
    }
    return this.#keep(key, version, inVersion, oldInVersion);
  }

  /**
   * Replaces the object of the request, in place, by one of a version. It must be decoded and defaulted; the request
   * takes ownership. A promise only if a webhook must convert it.
   */
  replace(version: EndpointVersion, object: KubeObject): Promise<void> | void {
    const { scope, object: target, oldObject } = this.attributes;
    if (target === undefined) throw new TypeError('a request without an object cannot be changed');
    const oldInVersion = this.#versions.get(keyOf(version))?.oldObject;
    const finish = (hub: KubeObject) => {
      replaceMembers(target, hub);
      this.#versions.clear();
      // A patch may have chosen a version that no webhook has asked for; then the stored object is not known in it.
      if ((oldObject === undefined) !== (oldInVersion === undefined)) return;
      this.#keep(keyOf(version), version, isHub(scope, version) ? target : object, oldInVersion);
    };
    const hub = this.#guard(() => toHub(scope, version, object));
    return hub instanceof Promise ? hub.then(finish) : finish(hub);
  }

  #keep(
    key: string,
    version: EndpointVersion,
    object: KubeObject | undefined,
    oldObject: KubeObject | undefined,
  ): VersionedAttributes {
    const made: VersionedAttributes = { attributes: this.attributes, version, object, oldObject };
    this.#versions.set(key, made);
    return made;
  }

  #guard(convert: () => KubeObject | Promise<KubeObject>): KubeObject | Promise<KubeObject> {
    try {
      const converted = convert();
      if (!(converted instanceof Promise)) return converted;
      return converted.catch((error: unknown) => {
        throw newInternalError(error);
      });
    } catch (error) {
      throw newInternalError(error);
    }
  }
}

/** The kind does not suffice: every version of a resource may have the same Scale. */
function keyOf({ kind: { group, version, kind }, resource }: EndpointVersion): string {
  return `${group}/${version}/${kind}/${resource.group}/${resource.version}/${resource.resource}`;
}

/** Converts from the hub of the request's endpoint to another version. */
function fromHub(scope: RequestScope, version: EndpointVersion, object: KubeObject): KubeObject | Promise<KubeObject> {
  if (isHub(scope, version)) return object;
  const apiVersion = formatGroupVersion(version.kind);
  if (scope.definition.convert !== undefined) return scope.definition.convert(object, apiVersion);
  if (version.versionDefinition.fromHub !== undefined) return version.versionDefinition.fromHub(object);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** Converts from a version to the hub of the request's endpoint. */
function toHub(scope: RequestScope, version: EndpointVersion, object: KubeObject): KubeObject | Promise<KubeObject> {
  if (isHub(scope, version)) return object;
  const apiVersion = formatGroupVersion(scope.hubKind);
  if (scope.definition.convert !== undefined) return scope.definition.convert(object, apiVersion);
  if (version.versionDefinition.toHub !== undefined) return version.versionDefinition.toHub(object);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** Objects of custom resources have the hub of their endpoint's version. */
function isHub({ hubKind, definition }: RequestScope, { kind }: EndpointVersion): boolean {
  if (definition.storedAs !== undefined) return kind.group === definition.storedAs.group;
  return kind.group === hubKind.group && kind.version === hubKind.version && kind.kind === hubKind.kind;
}

/** V8 keeps an object slowly from which members were removed: mostly both have the same ones, in the same order. */
function replaceMembers(target: KubeObject, source: KubeObject): void {
  if (target === source) return;
  const names = Object.keys(source);
  const isInOrder = Object.keys(target).every((name, index) => name === names[index]);
  if (!isInOrder) for (const name of Object.keys(target)) delete target[name];
  Object.assign(target, source);
}
