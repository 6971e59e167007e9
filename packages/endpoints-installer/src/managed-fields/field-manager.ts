import { formatGroupVersionKind, type JsonObject, type KubeObject } from '@apiserver/apimachinery';
import { atOnce } from '@apiserver/apimachinery/clock';
import { isDecodeError, newBadRequest, plainFailure } from '@apiserver/apimachinery/errors';
import { cloneJson, cloneJsonSteps } from '@apiserver/apimachinery/json';
import {
  type ConsumableManaged,
  creatorEntry,
  decodeManagedFields,
  encodeManagedFields,
  encodeManagedFieldsInSteps,
  type FieldSet,
  type Managed,
  ManagedFieldsError,
  MergeTypeError,
  managerIdentifier,
  NO_MANAGERS,
  type TypedValue,
  validateValue,
  validateValueInSteps,
} from '@apiserver/apimachinery/structured-merge-diff';
import { formatTime } from '@apiserver/apimachinery/values';
import { toHub } from '../body/to-hub.js';
import type { AppliedObject, ApplyRequest, ApplyRequestInSteps, Live, ManagedFields } from '../scope/managed-fields.js';
import type { ObjectScope } from '../scope/object-scope.js';
import { statesManagedFields } from './applied-entries.js';
import { ShapedFields } from './fields-by-shape.js';
import {
  type Annotations,
  clientSideApplied,
  clientSideAppliedInSteps,
  isAppliedByClient,
  newLastApplied,
  setLastApplied,
} from './last-applied.js';
import { managedOf } from './managed-of.js';
import {
  configurationFailure,
  firstFailure,
  kindOf,
  liveFailure,
  mergeFailure,
  metadataOf,
  nameKind,
} from './merge-failures.js';
import { ObjectVersions } from './object-versions.js';
import {
  type TrackedApply,
  type TrackedApplyInSteps,
  type TrackedResult,
  type TrackedResultInSteps,
  trackApply,
  trackApplyInSteps,
} from './track-apply.js';
import { type TrackedUpdate, trackUpdate, trackUpdateInSteps } from './track-update.js';
import { ConversionNeeded } from './with-conversions.js';

/** Owner of fields without a manager when an object is applied for the first time. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/**
 * Keeps the managed fields of an endpoint's objects, and merges what is applied. Objects are in the hub version; a live
 * object is undefined while there is none.
 *
 * Upstream: FieldManager in k8s.io/apimachinery/pkg/util/managedfields/internal/fieldmanager.go
 */
export class FieldManager implements ManagedFields {
  readonly #scope: ObjectScope;
  readonly #versions: ObjectVersions;
  readonly #fields: ShapedFields;

  constructor(scope: ObjectScope) {
    this.#scope = scope;
    this.#versions = new ObjectVersions(scope);
    this.#fields = new ShapedFields(this.#versions);
  }

  /**
   * Records the changes of an update, patch or create. Changes the managed fields of `object` and nothing else. Objects
   * that were not tracked on creation stay untracked. The managed fields are lost if the live object or the new one
   * does not match the schema, as upstream.
   */
  update(live: Live, object: KubeObject, manager: string): void {
    const { managedFields: sent } = object.metadata;
    const managed = this.#takeManaged(live, object);
    if (managed.managers.size === 0 && !isNew(live)) return;
    try {
      const written = this.#typedWritten(object);
      if (live === undefined && managed.managers.size === 0) {
        this.#setCreator(object, manager, this.#fields.created(written));
      } else {
        const before = this.#checkedLive(live);
        setManaged(object, trackUpdate(this.#trackedUpdate(before, written, { managed, manager })));
      }
    } catch (error) {
      this.#logDropped(object, error, sent);
    }
  }

  /** The same in steps, for a large object. */
  *updateInSteps(live: Live, object: KubeObject, manager: string): Generator<void, void> {
    const { managedFields: sent } = object.metadata;
    try {
      // The managed fields before the write are gone before the new ones are encoded.
      const managed = yield* this.#updatedInSteps(live, object, manager);
      if (managed !== undefined) yield* setManagedInSteps(object, managed);
    } catch (error) {
      this.#logDropped(object, error, sent);
    }
  }

  /** The managed fields after an update. Undefined if the object is not tracked. */
  *#updatedInSteps(live: Live, object: KubeObject, manager: string): Generator<void, ConsumableManaged | undefined> {
    const managed = this.#takeManaged(live, object);
    if (managed.managers.size === 0 && !isNew(live)) return undefined;
    yield;
    const written = this.#typedWritten(object);
    yield;
    if (live !== undefined || managed.managers.size > 0) {
      const typed = this.#typedLive(live);
      if (live !== undefined) yield* this.#scope.kindPolicy.tracking.checkObjectInSteps(typed);
      yield;
      return yield* trackUpdateInSteps(this.#trackedUpdate(typed, written, { managed, manager }));
    }
    return this.#createdBy(manager, yield* this.#fields.createdInSteps(written));
  }

  /** The managed fields of a new object, whose creator owns these. */
  #createdBy(manager: string, set: FieldSet): ConsumableManaged {
    const { subresource, environment } = this.#scope;
    const { apiVersion } = this.#versions;
    const identifier = managerIdentifier({ manager, operation: 'Update', apiVersion, subresource });
    const managers = new Map(set.empty ? [] : [[identifier, { set, apiVersion, applied: false }]]);
    return { ...NO_MANAGERS, managers, times: new Map([[identifier, formatTime(environment.now())]]) };
  }

  /**
   * Merges an applied configuration into the live object. Returns a new object, defaulted and in the hub version.
   * Throws a 400 for a configuration of another kind or version or with managed fields, and a 409 for conflicts. Throws
   * a 500, as upstream, for a value that does not match the kind's schema.
   */
  apply(live: Live, request: ApplyRequest): KubeObject {
    const { applied, manager, force } = request;
    const managed = this.#decodeLive(live);
    const named = this.#checkApplied(applied);
    const typed = this.#typedLive(live);
    const before = managed.managers.size > 0 ? managed : this.#beforeFirstApply(typed);
    const configuration = this.#typedConfiguration(applied, named);
    this.#checkLive(live, typed);
    const allowed = clientSideApplied(manager, typed, live?.metadata.annotations);
    const fields = this.#fields.applied(configuration);
    const tracked = { ...this.#tracked(manager), managed: before, live: typed, fields, force, allowed };
    const { value, managed: after } = this.#merged({ ...tracked, applied: configuration });
    const object = value === undefined ? this.#unchanged(live) : this.#decoded(value, named);
    const lastApplied = newLastApplied(manager, object.metadata.annotations, applied);
    if (lastApplied !== undefined) setLastApplied(object, lastApplied);
    setManaged(object, after);
    return object;
  }

  /** The same in steps, for large objects. */
  *applyInSteps(live: Live, request: ApplyRequestInSteps): Generator<void, AppliedObject> {
    // The configuration is gone before the object is decoded.
    const { value, managed, named, lastApplied } = yield* this.#mergedInSteps(live, request);
    yield;
    const isSame = value === undefined;
    const object = isSame
      ? yield* this.#unchangedInSteps(live)
      : yield* this.#decodedInSteps(value, { named, isOwned: live === undefined });
    yield;
    if (lastApplied !== undefined) setLastApplied(object, lastApplied);
    return { object, managed };
  }

  *#mergedInSteps(live: Live, request: ApplyRequestInSteps): Generator<void, MergedApply> {
    const { named, lastApplied, ...apply } = yield* this.#checkedInSteps(live, request);
    const tracked = yield* this.#trackedInSteps(apply);
    const annotations = tracked.value === undefined ? live?.metadata.annotations : annotationsOf(tracked.value);
    return { ...tracked, named, lastApplied: isAppliedByClient(annotations) ? lastApplied : undefined };
  }

  #merged(apply: TrackedApply): TrackedResult {
    try {
      return trackApply(apply);
    } catch (error) {
      throw atOnce(mergeFailure(apply.live, this.#scope.kind, error));
    }
  }

  *#trackedInSteps(apply: TrackedApplyInSteps): Generator<void, TrackedResultInSteps> {
    try {
      return yield* trackApplyInSteps(apply);
    } catch (error) {
      throw yield* mergeFailure(apply.live, this.#scope.kind, error);
    }
  }

  /** Reads and checks the configuration. Only `takeApplied` of the result still has it. */
  *#checkedInSteps(live: Live, { readApplied, manager, force }: ApplyRequestInSteps): Generator<void, CheckedApply> {
    const applied = yield* readApplied();
    yield;
    const managed = this.#decodeLive(live);
    yield;
    const named = this.#checkApplied(applied);
    const typed = this.#typedLive(live);
    const before = managed.managers.size > 0 ? managed : yield* this.#beforeFirstApplyInSteps(typed);
    yield;
    yield* this.#checkConfigurationInSteps(applied, named);
    yield;
    yield* this.#checkLiveInSteps(live, typed);
    yield;
    const allowed = yield* clientSideAppliedInSteps(manager, typed, live?.metadata.annotations);
    const configuration = this.#typedApplied(applied);
    const fields = yield* this.#fields.appliedInSteps(configuration);
    yield;
    return {
      ...this.#tracked(manager),
      managed: before,
      live: typed,
      fields,
      force,
      allowed,
      takeApplied: takeOnce(configuration, allowed !== undefined),
      named,
      lastApplied:
        newLastApplied(manager, live?.metadata.annotations, applied) ??
        newLastApplied(manager, annotationsOf(applied), applied),
    };
  }

  setOwnersInSteps({ object, managed }: AppliedObject): Generator<void, void> {
    return setManagedInSteps(object, managed);
  }

  /** Returns the managed fields before an update, and removes them from `object`. */
  #takeManaged(live: Live, object: KubeObject): Managed {
    const managed = managedOf(live, object, this.#scope.subresource !== '');
    // Without `delete`: V8 copies and writes an object slowly that lost a member which is not its last.
    const { managedFields: _managedFields, ...metadata } = object.metadata;
    object.metadata = metadata;
    return managed;
  }

  #tracked(manager: string) {
    const { subresource, environment } = this.#scope;
    return { versions: this.#versions, subresource, manager, now: environment.now() };
  }

  #trackedUpdate(
    live: TypedValue,
    updated: TypedValue,
    { managed, manager }: { readonly managed: Managed; readonly manager: string },
  ): TrackedUpdate {
    return { ...this.#tracked(manager), managed, live, updated };
  }

  /** Throws MergeTypeError for a live object that does not match its schema, which may be younger. */
  #checkedLive(live: Live): TypedValue {
    const typed = this.#typedLive(live);
    if (live !== undefined) this.#scope.kindPolicy.tracking.checkObject(typed);
    return typed;
  }

  #setCreator(object: KubeObject, manager: string, set: FieldSet): void {
    const { subresource, environment } = this.#scope;
    const identity = { manager, apiVersion: this.#versions.apiVersion, subresource };
    const entry = creatorEntry(identity, set, formatTime(environment.now()));
    if (entry !== undefined) object.metadata.managedFields = [entry];
  }

  #typedWritten(object: KubeObject): TypedValue {
    const written = this.#versions.typed(object);
    this.#scope.kindPolicy.tracking.checkObject(written);
    return written;
  }

  /** Throws errors that do not concern managed fields. The write starts again after a conversion. */
  #logDropped(object: KubeObject, error: unknown, sent: KubeObject['metadata']['managedFields']): void {
    if (error instanceof ConversionNeeded && sent !== undefined) object.metadata.managedFields = sent;
    if (!(error instanceof MergeTypeError)) throw error;
    const { name = '', namespace = '' } = object.metadata;
    this.#scope.environment.logger.v(2)?.info('Dropped managed fields that could not be updated', {
      reason: error.message,
      kind: formatGroupVersionKind(this.#scope.kind),
      namespace,
      name,
    });
  }

  #decodeLive(live: Live): Managed {
    try {
      return decodeManagedFields(live?.metadata.managedFields);
    } catch (error) {
      if (!(error instanceof ManagedFieldsError)) throw error;
      throw plainFailure(500, `failed to decode managed fields: ${error.message}`);
    }
  }

  /** Checks the configuration. Returns its name for messages. */
  #checkApplied(applied: JsonObject): string {
    const kind = kindOf(applied);
    const expected = this.#scope.kind;
    if (kind.group !== expected.group || kind.version !== expected.version || kind.kind !== expected.kind) {
      throw newBadRequest(`invalid object type: ${formatGroupVersionKind(kind)}`);
    }
    if (statesManagedFields(applied)) throw newBadRequest('metadata.managedFields must be nil');
    return nameKind(applied, kind);
  }

  /** The live object without its managed fields, which are not part of a configuration. */
  #typedLive(live: Live): TypedValue {
    if (live === undefined) return this.#versions.zero;
    const { managedFields: _managedFields, ...metadata } = live.metadata;
    return this.#versions.typed({ ...live, metadata } as KubeObject);
  }

  #beforeFirstApply(live: TypedValue): Managed {
    if (live === this.#versions.zero) return NO_MANAGERS;
    try {
      this.#scope.kindPolicy.tracking.checkObject(live);
      return trackUpdate(this.#firstUpdate(live));
    } catch (error) {
      throw atOnce(firstFailure(live, this.#scope.kind, error));
    }
  }

  *#beforeFirstApplyInSteps(live: TypedValue): Generator<void, Managed> {
    if (live === this.#versions.zero) return NO_MANAGERS;
    try {
      yield* this.#scope.kindPolicy.tracking.checkObjectInSteps(live);
      return yield* trackUpdateInSteps(this.#firstUpdate(live));
    } catch (error) {
      throw yield* firstFailure(live, this.#scope.kind, error);
    }
  }

  #firstUpdate(live: TypedValue): TrackedUpdate {
    const { definition, kind, resourcePolicy } = this.#scope;
    const fault = resourcePolicy.conversionFault(kind, definition);
    if (fault !== undefined) {
      const named = `/; ${formatGroupVersionKind(kind)}`;
      const what = `failed to create manager for existing fields: failed to convert live object (${named})`;
      throw plainFailure(500, `${what} to proper version: ${fault}`);
    }
    const tracked = this.#tracked(BEFORE_FIRST_APPLY);
    return { ...tracked, managed: NO_MANAGERS, live: this.#versions.zero, updated: live };
  }

  #typedConfiguration(applied: JsonObject, named: string): TypedValue {
    try {
      validateValue(this.#versions.type, applied, { allowDuplicates: false });
    } catch (error) {
      throw configurationFailure(named, error);
    }
    return this.#typedApplied(applied);
  }

  *#checkConfigurationInSteps(applied: JsonObject, named: string): Generator<void, void> {
    try {
      yield* validateValueInSteps(this.#versions.type, applied, { allowDuplicates: false });
    } catch (error) {
      throw configurationFailure(named, error);
    }
  }

  #typedApplied(value: JsonObject): TypedValue {
    const { type, apiVersion } = this.#versions;
    return { apiVersion, type, value };
  }

  /** A stored object may be older than the schema, or come from a webhook. */
  #checkLive(live: Live, typed: TypedValue): void {
    if (live === undefined) return;
    try {
      this.#scope.kindPolicy.tracking.checkObject(typed);
    } catch (error) {
      throw liveFailure(typed, this.#scope.kind, error);
    }
  }

  *#checkLiveInSteps(live: Live, typed: TypedValue): Generator<void, void> {
    if (live === undefined) return;
    try {
      yield* this.#scope.kindPolicy.tracking.checkObjectInSteps(typed);
    } catch (error) {
      throw liveFailure(typed, this.#scope.kind, error);
    }
  }

  #unchanged(live: Live): KubeObject {
    const object = cloneJson(this.#before(live));
    delete object.metadata.managedFields;
    return object;
  }

  *#unchangedInSteps(live: Live): Generator<void, KubeObject> {
    const object = yield* cloneJsonSteps(this.#before(live));
    delete object.metadata.managedFields;
    return object;
  }

  #before(live: Live): KubeObject {
    return (live ?? this.#versions.zero.value) as KubeObject;
  }

  #decoded(value: JsonObject, named: string): KubeObject {
    this.#checkConversion(named);
    try {
      return toHub(this.#scope, this.#scope.codec.fromUnstructured(value, 'Ignore').object);
    } catch (error) {
      throw this.#conversionFailure(named, error);
    }
  }

  /** A merged value is owned if no part of it is the live object's. */
  *#decodedInSteps(
    value: JsonObject,
    { named, isOwned }: { readonly named: string; readonly isOwned: boolean },
  ): Generator<void, KubeObject> {
    this.#checkConversion(named);
    try {
      const { object } = yield* this.#scope.codec.fromUnstructuredSteps(value, 'Ignore', isOwned);
      return toHub(this.#scope, object);
    } catch (error) {
      throw this.#conversionFailure(named, error);
    }
  }

  /** Throws a 500 if upstream cannot convert the merged object. */
  #checkConversion(named: string): void {
    const { definition, kind, resourcePolicy } = this.#scope;
    const fault = resourcePolicy.conversionFault(kind, definition);
    if (fault !== undefined) throw mergedFailure(named, fault);
  }

  #conversionFailure(named: string, error: unknown): unknown {
    if (!isDecodeError(error)) return error;
    const kind = formatGroupVersionKind(this.#scope.kind);
    return mergedFailure(named, `unable to convert unstructured object to ${kind}: ${error.message}`);
  }
}

function mergedFailure(named: string, why: string): Error {
  return plainFailure(500, `failed to convert new object (${named}) to proper version: ${why}`);
}

/** A merged configuration that is not yet decoded. */
interface MergedApply extends TrackedResultInSteps {
  /** The configuration's name for messages. */
  readonly named: string;
  /** The new annotation of client-side apply, if the object has one. */
  readonly lastApplied: string | undefined;
}

/** A checked configuration that is not yet merged. */
interface CheckedApply extends TrackedApplyInSteps {
  /** The configuration's name for messages. */
  readonly named: string;
  /** The new annotation of client-side apply, if the merged object has one. */
  readonly lastApplied: string | undefined;
}

/** Returns a function that returns a value, and no longer refers to it afterwards unless `isKept`. */
function takeOnce<T>(value: T, isKept: boolean): () => T {
  let left: T | undefined = value;
  return () => {
    if (left === undefined) throw new TypeError('the value was taken before');
    const taken = left;
    if (!isKept) left = undefined;
    return taken;
  };
}

function isNew(live: Live): boolean {
  return (live?.metadata.uid ?? '') === '';
}

/** The same as `setManaged` in steps, for large sets. Consumes them. */
function* setManagedInSteps(object: KubeObject, managed: ConsumableManaged): Generator<void, void> {
  yield;
  setEntries(object, yield* encodeManagedFieldsInSteps(managed));
}

function setManaged(object: KubeObject, managed: Managed): void {
  setEntries(object, encodeManagedFields(managed));
}

function setEntries(object: KubeObject, entries: ReturnType<typeof encodeManagedFields>): void {
  if (entries === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = entries;
}

function annotationsOf(value: JsonObject): Annotations {
  return metadataOf(value)['annotations'] as Annotations;
}
