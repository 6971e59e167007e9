import type { CreateOptions, KubeObject } from '@apiserver/apimachinery';
import { isAlreadyExists, isStatusError, plainFailure, StatusError } from '@apiserver/apimachinery/errors';
import { cloneJson } from '@apiserver/apimachinery/json';
import { generateName } from '@apiserver/apimachinery/random';
import { loadedObject, type StoredObject, type ValidateObject, type VerbContext } from '@apiserver/apiserver-contracts';
import { admissionView } from './admission-view.js';
import { beforeCreate, checkGeneratedNameError, type NameMeta } from './before-create.js';
import { withBeginHook } from './begin-hook.js';
import { decorated } from './decorate.js';
import { isResourceVersionSet } from './resource-version.js';
import { storageKey } from './storage-key.js';
import { interpret, isDryRun, type StoreCore } from './store-core.js';
import { fillSystemFields } from './system-fields.js';
import { writeOptions } from './write-options.js';

/**
 * Maximum number of attempts with a generated name. Eight make a failure unlikely (0.1%) up to a million objects of one
 * prefix. Upstream: maxNameGenerationCreateAttempts
 */
const MAX_GENERATED_NAMES = 8;

/** The client's request for a create. */
interface CreateRequest<T extends KubeObject> {
  readonly object: T;
  readonly validate: ValidateObject<T>;
  readonly options: CreateOptions;
}

/**
 * Stores a new object. Takes ownership of `request.object`, and removes managed fields from a large one. Throws 400,
 * 409 and 422 by the rules of the kind.
 * Upstream: Store.Create of k8s.io/apiserver/pkg/registry/generic/registry/store.go
 */
export function createObject<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  request: CreateRequest<T>,
): Promise<StoredObject<T>> {
  return (needsName(request.object) ? createNamed : createOnce)(core, context, request);
}

async function createNamed<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  request: CreateRequest<T>,
): Promise<StoredObject<T>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await createOnce(core, context, { ...request, object: cloneJson(request.object) });
    } catch (error) {
      if (attempt === MAX_GENERATED_NAMES || !isAlreadyExists(error)) throw error;
    }
  }
}

function needsName(object: KubeObject): boolean {
  return !object.metadata.name && Boolean(object.metadata.generateName);
}

async function createOnce<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  request: CreateRequest<T>,
): Promise<StoredObject<T>> {
  const { hooks } = core;
  const { metadata } = request.object;
  fillSystemFields(core, metadata);
  if (needsName(request.object)) metadata.name = nameFrom(core, metadata.generateName ?? '');
  const begin = hooks.beginCreate?.bind(hooks, context, request.object, request.options);
  const stored = await withBeginHook(begin, () => checkAndStore(core, context, request));
  if (hooks.afterCreate !== undefined || hooks.decorate !== undefined) await stored.load?.();
  hooks.afterCreate?.(stored.object, request.options);
  return decorated(hooks.decorate, stored);
}

/** Only awaits what is asynchronous: each await retains the request's state until a later microtask. */
async function checkAndStore<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  { object, validate, options }: CreateRequest<T>,
): Promise<StoredObject<T>> {
  const preparing = beforeCreate(core, context, object);
  if (preparing !== undefined) await preparing;
  if (context.yieldToEventLoop !== undefined) await context.yieldToEventLoop();
  const validating = validate(admissionView(object));
  if (validating !== undefined) await validating;
  if (context.yieldToEventLoop !== undefined) await context.yieldToEventLoop();
  const key = storageKey(core, context, object.metadata.name ?? '');
  const ttl = core.hooks.ttl?.(object, false) ?? 0;
  if (!isDryRun(options)) refuseVersion(object);
  try {
    return await core.storage(options).create(key, objectToWrite(context, object), writeOptions(context, ttl));
  } catch (error) {
    throw await creationError(core, context, { error, metadata: object.metadata, key });
  }
}

/**
 * Callers hold the object until it is stored. A large one loses its managed fields to a copy, which storage frees as it
 * encodes them.
 */
function objectToWrite<T extends KubeObject>({ yieldToEventLoop }: VerbContext, object: T): T {
  if (yieldToEventLoop === undefined) return object;
  const written: T = { ...object, metadata: { ...object.metadata } };
  delete object.metadata.managedFields;
  return written;
}

/** Storage rejects a version; as upstream, a dry run returns the one that was sent. */
function refuseVersion({ metadata }: KubeObject): void {
  if (isResourceVersionSet(metadata.resourceVersion)) {
    throw plainFailure(500, 'resourceVersion should not be set on objects to be created');
  }
  if (metadata.resourceVersion !== undefined) delete metadata.resourceVersion;
}

function nameFrom<T extends KubeObject>({ strategy, random }: StoreCore<T>, base: string): string {
  return strategy.generateName?.(base) ?? generateName(base, random);
}

/** The error for the client; it says if the existing object is being deleted. */
async function creationError<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  { error, metadata, key }: { readonly error: unknown; readonly metadata: NameMeta; readonly key: string },
): Promise<unknown> {
  const interpreted = interpret(core, context, { error, name: metadata.name ?? '', operation: 'create' });
  const failure = checkGeneratedNameError(core, context, interpreted, metadata);
  if (!isAlreadyExists(failure) || !isStatusError(failure)) return failure;
  const existing = await core
    .storage({})
    .get(key, {})
    .catch(() => undefined);
  const object = existing && (await loadedObject(existing));
  if (!object?.metadata.deletionTimestamp) return failure;
  return new StatusError({ ...failure.status, message: `object is being deleted: ${failure.status.message ?? ''}` });
}
