import type { KubeObject, ObjectMeta } from '@apiserver/apimachinery';
import { isAlreadyExists, newGenerateNameConflict, newInvalid } from '@apiserver/apimachinery/errors';
import { collectFieldErrors, type FieldError, FieldPath } from '@apiserver/apimachinery/field';
import { validateObjectMeta, validatePathSegmentName } from '@apiserver/apimachinery/validation';
import type { VerbContext } from '@apiserver/apiserver-contracts';
import { groupResourceOf, type StoreCore } from './store-core.js';
import { ensureNamespace } from './system-fields.js';

const METADATA = FieldPath.of('metadata');

/**
 * What every kind goes through on its way to be created, after its system fields are filled and its name generated:
 * namespace, prepareForCreate, validation of the kind and then of the metadata, warnings, canonicalize. Changes `object`.
 * Throws, or rejects with, 400 for another namespace, 422 for what does not validate.
 * Upstream: BeforeCreate of k8s.io/apiserver/pkg/registry/rest/create.go
 */
export function beforeCreate<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  object: T,
): Promise<void> | void {
  ensureNamespace(core, context, object.metadata);
  const preparing = core.strategy.prepareForCreate?.(context, object);
  if (preparing === undefined) return checkPrepared(core, context, object);
  return preparing.then(() => checkPrepared(core, context, object));
}

function checkPrepared<T extends KubeObject>(core: StoreCore<T>, context: VerbContext, object: T): void {
  const { strategy } = core;
  throwIfInvalid(
    core,
    object,
    collectFieldErrors(() => strategy.validate(context, object)),
  );
  throwIfInvalid(
    core,
    object,
    collectFieldErrors(() => validateCommonMetadata(core, object)),
  );
  for (const warning of strategy.warningsOnCreate?.(context, object) ?? []) context.warnings.warn(warning);
  strategy.canonicalize?.(object);
}

/** Metadata rules of every kind. They come second, so that a kind's own, more telling messages win. */
export function validateCommonMetadata<T extends KubeObject>(core: StoreCore<T>, object: T): readonly FieldError[] {
  return validateObjectMeta(object.metadata, {
    namespaced: core.namespaced,
    validateName: validatePathSegmentName,
    path: METADATA,
  });
}

/** Throws 422 with a cause for each error, if there is any. */
export function throwIfInvalid<T extends KubeObject>(
  core: StoreCore<T>,
  object: T,
  errors: readonly FieldError[],
): void {
  if (errors.length === 0) return;
  throw newInvalid(core.writePolicy.kindInErrors(object, core.groupKind), object.metadata.name ?? '', errors);
}

/** What an object is called, or was to be called. */
export type NameMeta = Pick<ObjectMeta, 'name' | 'generateName'>;

/**
 * Says in other words that a name is taken when it was the server that chose it.
 * Upstream: CheckGeneratedNameError of k8s.io/apiserver/pkg/registry/rest/create.go
 */
export function checkGeneratedNameError<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  error: unknown,
  { generateName, name }: NameMeta,
): unknown {
  if (!isAlreadyExists(error) || generateName === undefined || generateName === '') return error;
  return newGenerateNameConflict(groupResourceOf(core, context), name ?? '', 1);
}
