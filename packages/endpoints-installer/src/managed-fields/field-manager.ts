import {
  type DeepReadonly,
  formatGroupVersion,
  formatGroupVersionKind,
  type GroupVersionKind,
  type JsonObject,
  type KubeObject,
  tryParseGroupVersion,
} from '@apiserver/apimachinery';
import { isDecodeError, newBadRequest } from '@apiserver/apimachinery/errors';
import { cloneJson } from '@apiserver/apimachinery/json';
import {
  creatorEntry,
  decodeManagedFields,
  encodeManagedFields,
  type Managed,
  ManagedFieldsError,
  MergeTypeError,
  type TypedValue,
  validateValue,
} from '@apiserver/apimachinery/structured-merge-diff';
import { formatTime } from '@apiserver/apimachinery/values';
import { toHub } from '../handlers/to-hub.js';
import { plainFailure } from '../responses/plain-failure.js';
import { isCustomResource } from '../scope/custom-resource.js';
import type { ObjectScope } from '../scope/object-scope.js';
import { ShapedFields } from './fields-by-shape.js';
import { clientSideApplied, updateLastApplied } from './last-applied.js';
import { managedOf } from './managed-of.js';
import { ObjectVersions } from './object-versions.js';
import { trackApply } from './track-apply.js';
import { type TrackedUpdate, trackUpdate, trackUpdateAtOnce } from './track-update.js';

/** Owns what nobody was recorded for when an object is applied for the first time. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/** One apply of one manager. */
export interface ApplyRequest {
  /** The configuration as the client wrote it. */
  readonly applied: JsonObject;
  readonly manager: string;
  readonly force: boolean;
  /** It is worked on in several turns of the event loop. */
  readonly isLarge: boolean;
}

/**
 * Keeps the managed fields of an endpoint's objects, and merges what is applied. Objects are in the hub version; a live
 * object is undefined while there is none.
 *
 * Upstream: FieldManager in k8s.io/apimachinery/pkg/util/managedfields/internal/fieldmanager.go
 */
export class FieldManager {
  readonly #scope: ObjectScope;
  readonly #versions: ObjectVersions;
  readonly #fields: ShapedFields;

  constructor(scope: ObjectScope) {
    this.#scope = scope;
    this.#versions = new ObjectVersions(scope);
    this.#fields = new ShapedFields(this.#versions);
  }

  /**
   * Records what an update, patch or create changes. Changes the managed fields of `object` and nothing else. Objects that
   * were not tracked when they were created stay so. An object that cannot be compared loses its managed fields. It yields
   * between steps: of a large object each is long.
   */
  *update(
    live: DeepReadonly<KubeObject> | undefined,
    object: KubeObject,
    { manager, isLarge }: { readonly manager: string; readonly isLarge: boolean },
  ): Generator<void, void> {
    const managed = managedOf(live, object, this.#scope.subresource !== '');
    delete object.metadata.managedFields;
    const isNew = (live?.metadata.uid ?? '') === '';
    if (managed.managers.size === 0 && !isNew) return;
    try {
      if (live === undefined && managed.managers.size === 0) yield* this.#trackCreate(object, { manager, isLarge });
      else if (isLarge) setManaged(object, yield* this.#trackLargeUpdate(live, object, { managed, manager }));
      else
        setManaged(
          object,
          trackUpdateAtOnce(this.#trackedUpdate(live, this.#typedWritten(object), { managed, manager })),
        );
    } catch (error) {
      if (!(error instanceof MergeTypeError)) throw error;
      this.#logDropped(object, error);
    }
  }

  /**
   * Merges an applied configuration into the live object. Answers a fresh object, defaulted and in the hub version. Throws
   * a 400 for a configuration of another kind or version or with managed fields, a 409 for conflicts, and a 500, as
   * upstream, for what does not fit the kind's schema. It yields between steps.
   */
  *apply(live: DeepReadonly<KubeObject> | undefined, request: ApplyRequest): Generator<void, KubeObject> {
    const { applied, manager, force, isLarge } = request;
    const managed = this.#decodeLive(live);
    if (isLarge) yield;
    const kind = kindOf(applied);
    this.#checkApplied(applied, kind);
    const typed = this.#typedLive(live);
    const before = managed.managers.size > 0 ? managed : yield* this.#beforeFirstApply(typed, isLarge);
    const named = nameKind(applied, kind);
    const configuration = this.#typedConfiguration(applied, named);
    const allowed = clientSideApplied(manager, typed, live?.metadata.annotations);
    if (isLarge) yield;
    const fields = yield* this.#fields.applied(configuration, isLarge);
    if (isLarge) yield;
    const { value, managed: after } = yield* trackApply({
      ...this.#tracked(manager, isLarge),
      managed: before,
      live: typed,
      applied: configuration,
      fields,
      force,
      allowed,
    });
    if (isLarge) yield;
    const object = value === undefined ? this.#unchanged(live) : this.#decoded(value as JsonObject, named);
    if (isLarge) yield;
    updateLastApplied(manager, object, applied);
    setManaged(object, after);
    return object;
  }

  #tracked(manager: string, isLarge: boolean) {
    const { subresource, environment } = this.#scope;
    return { versions: this.#versions, subresource, manager, isLarge, now: environment.now() };
  }

  *#trackLargeUpdate(
    live: DeepReadonly<KubeObject> | undefined,
    object: KubeObject,
    by: { readonly managed: Managed; readonly manager: string },
  ): Generator<void, Managed> {
    const updated = this.#typedWritten(object);
    yield;
    return yield* trackUpdate({ ...this.#trackedUpdate(live, updated, by), isLarge: true });
  }

  #trackedUpdate(
    live: DeepReadonly<KubeObject> | undefined,
    updated: TypedValue,
    { managed, manager }: { readonly managed: Managed; readonly manager: string },
  ): TrackedUpdate {
    return { ...this.#tracked(manager, false), managed, live: this.#typedLive(live), updated };
  }

  *#trackCreate(
    object: KubeObject,
    { manager, isLarge }: { readonly manager: string; readonly isLarge: boolean },
  ): Generator<void, void> {
    const { subresource, environment } = this.#scope;
    const identity = { manager, apiVersion: this.#versions.apiVersion, subresource };
    const written = this.#typedWritten(object);
    if (isLarge) yield;
    const set = yield* this.#fields.created(written, isLarge);
    if (isLarge) yield;
    const entry = creatorEntry(identity, set, formatTime(environment.now()));
    if (entry !== undefined) object.metadata.managedFields = [entry];
  }

  /** Typed objects fit their schema by the way they were decoded; a custom resource has not been validated yet. */
  #typedWritten(object: KubeObject): TypedValue {
    const written = this.#versions.typed(object);
    if (this.#scope.codec.schema.semantics === 'structural') {
      validateValue(written.type, written.value, { allowDuplicates: true });
    }
    return written;
  }

  #logDropped(object: KubeObject, error: Error): void {
    const { name = '', namespace = '' } = object.metadata;
    this.#scope.environment.logger.v(2)?.info('Dropped managed fields that could not be updated', {
      reason: error.message,
      kind: formatGroupVersionKind(this.#scope.kind),
      namespace,
      name,
    });
  }

  #decodeLive(live: DeepReadonly<KubeObject> | undefined): Managed {
    try {
      return decodeManagedFields(live?.metadata.managedFields);
    } catch (error) {
      if (!(error instanceof ManagedFieldsError)) throw error;
      throw plainFailure(500, `failed to decode managed fields: ${error.message}`);
    }
  }

  #checkApplied(applied: JsonObject, kind: GroupVersionKind): void {
    const expected = this.#scope.kind;
    if (kind.group !== expected.group || kind.version !== expected.version || kind.kind !== expected.kind) {
      throw newBadRequest(`invalid object type: ${formatGroupVersionKind(kind)}`);
    }
    if (Array.isArray(metadataOf(applied)['managedFields'])) throw newBadRequest('metadata.managedFields must be nil');
  }

  /** The live object as it is merged into: without its managed fields, which are no part of the configuration. */
  #typedLive(live: DeepReadonly<KubeObject> | undefined): TypedValue {
    if (live === undefined) return this.#versions.zero;
    const { managedFields: _managedFields, ...metadata } = live.metadata;
    return this.#versions.typed({ ...live, metadata } as KubeObject);
  }

  *#beforeFirstApply(live: TypedValue, isLarge: boolean): Generator<void, Managed> {
    const nobody: Managed = { managers: new Map(), times: new Map(), entries: new Map() };
    if (live === this.#versions.zero) return nobody;
    this.#refuseScaleOfCustomResource();
    try {
      return yield* trackUpdate({
        ...this.#tracked(BEFORE_FIRST_APPLY, isLarge),
        managed: nobody,
        live: this.#versions.zero,
        updated: live,
      });
    } catch (error) {
      if (!(error instanceof MergeTypeError)) throw error;
      const named = nameKind(live.value as JsonObject, this.#scope.kind);
      throw plainFailure(
        500,
        `failed to create manager for existing fields: failed to convert new object (${named}) to smd typed: ${error.message}`,
      );
    }
  }

  /** Upstream has no scale without fields to compare with: its converter makes no custom resource of one. */
  #refuseScaleOfCustomResource(): void {
    const { definition, kind } = this.#scope;
    if (!isCustomResource(definition) || kind.kind === definition.kind) return;
    throw plainFailure(
      500,
      'failed to create manager for existing fields: failed to convert live object ' +
        `(/; ${formatGroupVersionKind(kind)}) to proper version: request to convert CR to an invalid group/version: ` +
        formatGroupVersion(kind),
    );
  }

  #typedConfiguration(applied: JsonObject, named: string): TypedValue {
    const { type, apiVersion } = this.#versions;
    try {
      validateValue(type, applied, { allowDuplicates: false });
    } catch (error) {
      if (!(error instanceof MergeTypeError)) throw error;
      throw plainFailure(500, `failed to create typed patch object (${named}): ${error.message}`);
    }
    return { apiVersion, type, value: applied };
  }

  #unchanged(live: DeepReadonly<KubeObject> | undefined): KubeObject {
    const object = cloneJson(live ?? this.#versions.zero.value) as KubeObject;
    delete object.metadata.managedFields;
    return object;
  }

  #decoded(value: JsonObject, named: string): KubeObject {
    const { codec, kind } = this.#scope;
    try {
      return toHub(this.#scope, codec.fromUnstructured(value, 'Ignore').object);
    } catch (error) {
      if (!isDecodeError(error)) throw error;
      const why = `unable to convert unstructured object to ${formatGroupVersionKind(kind)}: ${error.message}`;
      throw plainFailure(500, `failed to convert new object (${named}) to proper version: ${why}`);
    }
  }
}

function setManaged(object: KubeObject, managed: Managed): void {
  const entries = encodeManagedFields(managed);
  if (entries === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = entries;
}

function metadataOf(applied: JsonObject): JsonObject {
  const metadata = applied['metadata'];
  return typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? metadata : {};
}

function textOf(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value : '';
}

/** The kind that a configuration names; all of it empty when its apiVersion cannot be read. */
function kindOf(applied: JsonObject): GroupVersionKind {
  const groupVersion = tryParseGroupVersion(textOf(applied, 'apiVersion'));
  if (groupVersion === undefined) return { group: '', version: '', kind: '' };
  return { ...groupVersion, kind: textOf(applied, 'kind') };
}

/** How messages name an object: `namespace/name; group/version, Kind=kind`. */
function nameKind(applied: JsonObject, kind: GroupVersionKind): string {
  const metadata = metadataOf(applied);
  return `${textOf(metadata, 'namespace')}/${textOf(metadata, 'name')}; ${formatGroupVersionKind(kind)}`;
}
