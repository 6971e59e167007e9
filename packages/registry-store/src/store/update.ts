import type { CreateOptions, KubeObject, UpdateOptions } from '@apiserver/apimachinery';
import { sliceTurn } from '@apiserver/apimachinery/clock';
import { newConflict, newInvalid, newNotFound } from '@apiserver/apimachinery/errors';
import { FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { keepManagedFieldsTimes } from '@apiserver/apimachinery/structured-merge-diff';
import type {
  StoredObject,
  UpdateInput,
  UpdateRequest,
  VerbContext,
  WriteOptions,
} from '@apiserver/apiserver-contracts';
import { isKeyNotFound, isStorageError } from '../storage-error.js';
import { admissionView } from './admission-view.js';
import { beforeCreate, checkGeneratedNameError, type NameMeta } from './before-create.js';
import { beforeUpdate } from './before-update.js';
import { withBeginHook } from './begin-hook.js';
import { decorated } from './decorate.js';
import { deleteEmptied, EmptiedFinalizers, shouldDeleteDuringUpdate } from './delete/delete-during-update.js';
import { objectResourceVersion } from './resource-version.js';
import { storageKey } from './storage-key.js';
import { groupResourceOf, interpret, isDryRun, type StoreCore } from './store-core.js';
import { fillSystemFields } from './system-fields.js';
import { writeOptions } from './write-options.js';

/** Clients match this text to decide whether to read again. */
const OPTIMISTIC_LOCK_MESSAGE =
  'the object has been modified; please apply your changes to the latest version and try again';

/** State of one update: the names of the object to create, if none exists. It may be too large to keep. */
interface Progress {
  creating: NameMeta | undefined;
}

/**
 * Replaces a stored object, or creates it where that is allowed. If the update removes the last finalizer of an object
 * marked for deletion, the object is deleted instead and returned as updated.
 * Upstream: Store.Update of k8s.io/apiserver/pkg/registry/generic/registry/store.go
 */
export async function updateObject<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  request: UpdateRequest<T>,
): Promise<{ readonly stored: StoredObject<T>; readonly created: boolean }> {
  const key = storageKey(core, context, request.name);
  const preconditions = request.objectInfo.preconditions ?? {};
  const progress: Progress = { creating: undefined };
  try {
    const storage = core.storage(request.options);
    const { stored, created } = await storage.guaranteedUpdate(key, preconditions, (current) =>
      attempt(core, context, request, { current, progress }),
    );
    if (looksAtResult(core)) await stored.load?.();
    return finished(core, request.options, stored, created);
  } catch (error) {
    if (error instanceof EmptiedFinalizers) {
      return deleteEmptied(core, context, {
        key,
        name: request.name,
        preconditions,
        options: request.options,
        emptied: error,
      });
    }
    throw await updateError(core, context, request, { error, key, creating: progress.creating });
  }
}

interface UpdateFailure {
  readonly error: unknown;
  readonly key: string;
  readonly creating: NameMeta | undefined;
}

/** The error for the client. A missing object takes precedence over any precondition. */
async function updateError<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  request: UpdateRequest<T>,
  { error, key, creating }: UpdateFailure,
): Promise<unknown> {
  const { name } = request;
  if (creating !== undefined) {
    const failure = interpret(core, context, { error, name, operation: 'create' });
    return checkGeneratedNameError(core, context, failure, creating);
  }
  if (isInvalidPreconditions(error) && !mayCreate(core, request) && (await isMissing(core, key))) {
    return newNotFound(groupResourceOf(core, context), name);
  }
  return interpret(core, context, { error, name, operation: 'update' });
}

function isInvalidPreconditions(error: unknown): boolean {
  return isStorageError(error) && error.storageErrorCode === 'InvalidPreconditions';
}

async function isMissing<T extends KubeObject>(core: StoreCore<T>, key: string): Promise<boolean> {
  try {
    await core.storage({}).get(key, {});
    return false;
  } catch (error) {
    return isKeyNotFound(error);
  }
}

function mayCreate<T extends KubeObject>(core: StoreCore<T>, request: UpdateRequest<T>): boolean {
  return core.strategy.allowCreateOnUpdate || request.forceAllowCreate;
}

function looksAtResult<T extends KubeObject>({ hooks }: StoreCore<T>): boolean {
  return hooks.afterCreate !== undefined || hooks.afterUpdate !== undefined || hooks.decorate !== undefined;
}

function finished<T extends KubeObject>(
  core: StoreCore<T>,
  options: UpdateOptions,
  stored: StoredObject<T>,
  created: boolean,
) {
  if (created) core.hooks.afterCreate?.(stored.object, createOptionsOf(options));
  else core.hooks.afterUpdate?.(stored.object, options);
  return { stored: decorated(core.hooks.decorate, stored), created };
}

/** Size from which a stored object is processed in several event loop turns. */
const LARGE = 64 * 1024;

function isLarge(current: UpdateInput<KubeObject> | undefined): boolean {
  return current?.byteLength !== undefined && current.byteLength > LARGE;
}

async function nextTurn(): Promise<void> {
  await sliceTurn();
}

interface Attempt<T extends KubeObject> {
  readonly current: UpdateInput<T> | undefined;
  readonly progress: Progress;
}

/** Makes the object to store from the current one; repeated if that changed in the meantime. */
async function attempt<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  request: UpdateRequest<T>,
  { current, progress }: Attempt<T>,
): Promise<{ readonly object: T } & WriteOptions> {
  if (current === undefined && !mayCreate(core, request)) {
    throw newNotFound(groupResourceOf(core, context), request.name);
  }
  if (isLarge(current)) context.yieldToEventLoop ??= nextTurn;
  const loading = current?.load?.();
  // A local reference: the entry may drop it between two turns.
  const old = loading === undefined ? current?.object : await loading;
  if (context.yieldToEventLoop !== undefined) await context.yieldToEventLoop();
  const updating = request.objectInfo.updatedObject(context, old);
  const object = updating instanceof Promise ? await updating : updating;
  const version = objectResourceVersion(object.metadata.resourceVersion);
  if (current === undefined || old === undefined) {
    progress.creating = namesOf(object.metadata);
    await createByUpdate(core, context, request, object);
  } else {
    progress.creating = undefined;
    checkVersion(core, context, { name: request.name, object, version, current });
    await changeExisting(core, context, request, { object, old });
  }
  const ttl = core.hooks.ttl?.(object, current !== undefined);
  // Storage inserts the version; an object with one would never equal the stored object.
  if (current !== undefined || !isDryRun(request.options)) {
    // Not by `delete`, which makes V8 write the metadata slowly.
    const { resourceVersion: _resourceVersion, ...metadata } = object.metadata;
    object.metadata = metadata;
  }
  return { object, ...writeOptions(context, ttl) };
}

function namesOf({ name, generateName }: NameMeta): NameMeta {
  return { ...(name !== undefined && { name }), ...(generateName !== undefined && { generateName }) };
}

async function createByUpdate<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  request: UpdateRequest<T>,
  object: T,
): Promise<void> {
  const { hooks } = core;
  fillSystemFields(core, object.metadata);
  const options = createOptionsOf(request.options);
  const begin = hooks.beginCreate?.bind(hooks, context, object, options);
  await withBeginHook(begin, async () => {
    await beforeCreate(core, context, object);
    await context.yieldToEventLoop?.();
    await request.validateCreate(admissionView(object));
  });
}

function changeExisting<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  request: UpdateRequest<T>,
  { object, old }: { readonly object: T; readonly old: T },
): Promise<void> {
  const { hooks } = core;
  const begin = hooks.beginUpdate?.bind(hooks, context, object, old, request.options);
  return withBeginHook(begin, async () => {
    const preparing = beforeUpdate(core, context, object, old);
    if (preparing !== undefined) await preparing;
    if (context.yieldToEventLoop !== undefined) await context.yieldToEventLoop();
    // Only the final object tells whether anything but times changed.
    keepManagedFieldsTimes(object, old);
    const validating = request.validateUpdate(admissionView(object), old);
    if (validating !== undefined) await validating;
    if (context.yieldToEventLoop !== undefined) await context.yieldToEventLoop();
    if (shouldDeleteDuringUpdate(core, object, old)) throw new EmptiedFinalizers(object);
  });
}

/**
 * An update names the version it was made from, or none where the kind allows that; it then gets the newest, so that
 * hooks and admission see the replaced version.
 */
function checkVersion<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  update: { readonly name: string; readonly object: T; readonly version: bigint; readonly current: UpdateInput<T> },
): void {
  const { name, object, version, current } = update;
  if (version === 0n && core.strategy.allowUnconditionalUpdate) {
    object.metadata.resourceVersion = current.resourceVersion;
    return;
  }
  const resource = groupResourceOf(core, context);
  if (version === 0n) {
    const fault = fieldInvalid(FieldPath.of('metadata', 'resourceVersion'), 0, 'must be specified for an update');
    // The resource is in the place of the kind, as upstream.
    throw newInvalid({ group: resource.group, kind: resource.resource }, name, [fault]);
  }
  if (version !== BigInt(current.resourceVersion)) throw newConflict(resource, name, OPTIMISTIC_LOCK_MESSAGE);
}

function createOptionsOf({ dryRun, fieldManager, fieldValidation }: UpdateOptions): CreateOptions {
  return {
    ...(dryRun === undefined ? undefined : { dryRun }),
    ...(fieldManager === undefined ? undefined : { fieldManager }),
    ...(fieldValidation === undefined ? undefined : { fieldValidation }),
  };
}
