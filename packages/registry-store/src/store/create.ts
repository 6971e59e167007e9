import {
  type CreateOptions,
  cloneJson,
  generateName,
  isAlreadyExists,
  isStatusError,
  type KubeObject,
  StatusError,
} from '@apiserver/apimachinery';
import type { StoredObject, ValidateObject, VerbContext } from '@apiserver/apiserver-contracts';
import { admissionView } from './admission-view.js';
import { beforeCreate, checkGeneratedNameError } from './before-create.js';
import { withBeginHook } from './begin-hook.js';
import { decorated } from './decorate.js';
import { newPlainFailure } from './plain-failure.js';
import { isResourceVersionSet } from './resource-version.js';
import { storageKey } from './storage-key.js';
import { interpret, isDryRun, type StoreCore } from './store-core.js';
import { fillSystemFields } from './system-fields.js';

/**
 * How often a create with a generated name is tried: eight names make a clash unlikely (0.1%) up to a million objects
 * of one prefix. Upstream: maxNameGenerationCreateAttempts
 */
const MAX_GENERATED_NAMES = 8;

/** One create as the client asked for it. */
interface CreateRequest<T extends KubeObject> {
  readonly object: T;
  readonly validate: ValidateObject<T>;
  readonly options: CreateOptions;
}

/**
 * Stores a new object. Takes over `request.object`. Throws 400, 409 and 422 as the rules of the kind have it.
 * Upstream: Store.Create of k8s.io/apiserver/pkg/registry/generic/registry/store.go
 */
export async function createObject<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  request: CreateRequest<T>,
): Promise<StoredObject<T>> {
  if (!needsName(request.object)) return createOnce(core, context, request);
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
  const { object, options } = request;
  const { hooks } = core;
  fillSystemFields(core, object.metadata);
  if (needsName(object)) object.metadata.name = nameFrom(core, object.metadata.generateName ?? '');
  const begin = hooks.beginCreate && (() => hooks.beginCreate?.(context, object, options));
  const stored = await withBeginHook(begin, async () => {
    await beforeCreate(core, context, object);
    await request.validate(admissionView(object));
    return store(core, context, object, options);
  });
  hooks.afterCreate?.(stored.object, options);
  return decorated(hooks.decorate, stored);
}

function nameFrom<T extends KubeObject>({ strategy, random }: StoreCore<T>, base: string): string {
  return strategy.generateName?.(base) ?? generateName(base, random);
}

async function store<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  object: T,
  options: CreateOptions,
): Promise<StoredObject<T>> {
  const key = storageKey(core, context, object.metadata.name ?? '');
  const ttl = core.hooks.ttl?.(object, false) ?? 0;
  // It is storage that minds a version; a dry run answers with what was sent, as upstream.
  if (!isDryRun(options)) {
    if (isResourceVersionSet(object.metadata.resourceVersion)) {
      throw newPlainFailure('resourceVersion should not be set on objects to be created');
    }
    delete object.metadata.resourceVersion;
  }
  try {
    return await core.storage(options).create(key, object, ttl > 0 ? { ttl } : {});
  } catch (error) {
    throw await creationError(core, context, { error, object, key });
  }
}

/** What the client is told; an object that is on its way out but not gone is pointed out. */
async function creationError<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  failure: { readonly error: unknown; readonly object: T; readonly key: string },
): Promise<unknown> {
  const interpreted = interpret(core, context, {
    error: failure.error,
    name: failure.object.metadata.name ?? '',
    operation: 'create',
  });
  const told = checkGeneratedNameError(core, context, interpreted, failure.object);
  if (!isAlreadyExists(told) || !isStatusError(told)) return told;
  const existing = await core
    .storage({})
    .get(failure.key, {})
    .catch(() => undefined);
  if (!existing?.object.metadata.deletionTimestamp) return told;
  return new StatusError({ ...told.status, message: `object is being deleted: ${told.status.message ?? ''}` });
}
