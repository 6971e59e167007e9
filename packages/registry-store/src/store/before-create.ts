import type { KubeObject, ObjectMeta } from '@apiserver/apimachinery';
import { isAlreadyExists, newGenerateNameConflict, newInvalid } from '@apiserver/apimachinery/errors';
import { collectFieldErrors, type FieldError, FieldPath } from '@apiserver/apimachinery/field';
import { validateObjectMeta, validatePathSegmentName } from '@apiserver/apimachinery/validation';
import type { VerbContext } from '@apiserver/apiserver-contracts';
import { furtherErrors } from './further-checks.js';
import { groupResourceOf, type StoreCore } from './store-core.js';
import { ensureNamespace } from './system-fields.js';

const METADATA = FieldPath.of('metadata');

/**
 * Prepares an object of any kind for its creation, after its system fields are set and its name is generated. Steps:
 * namespace, prepareForCreate, validation of the kind and then of the metadata, warnings, canonicalize. Changes
 * `object`. Throws, or rejects with, 400 for another namespace, 422 for an invalid object.
 * Upstream: BeforeCreate of k8s.io/apiserver/pkg/registry/rest/create.go
 */
export function beforeCreate<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  object: T,
): Promise<void> | void {
  ensureNamespace(core, context, object.metadata);
  const preparing = core.strategy.prepareForCreate?.(context, object);
  const check = () => checkPrepared(core, context, object);
  return preparing === undefined ? inNextTurn(context, check) : preparing.then(check);
}

function checkPrepared<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  object: T,
): Promise<void> | void {
  const { strategy } = core;
  let errors: readonly FieldError[] = [];
  const further = furtherErrors(strategy, context, { object, old: undefined }, () => {
    errors = collectFieldErrors(() => strategy.validate(context, object));
    return errors;
  });
  const finish = (more: readonly FieldError[]) =>
    finishChecks(core, context, object, more.length === 0 ? errors : [...errors, ...more]);
  return further instanceof Promise ? further.then(finish) : finish(further);
}

function finishChecks<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  object: T,
  errors: readonly FieldError[],
): Promise<void> | void {
  const { strategy } = core;
  throwIfInvalid(core, object, errors);
  throwIfInvalid(
    core,
    object,
    collectFieldErrors(() => validateCommonMetadata(core, object)),
  );
  return inNextTurn(context, () => {
    for (const warning of strategy.warningsOnCreate?.(context, object) ?? []) context.warnings.warn(warning);
    strategy.canonicalize?.(object);
  });
}

/** Runs a step of a preparation: for a large body in a turn of its own, else at once. */
export function inNextTurn({ yieldToEventLoop }: VerbContext, step: () => Promise<void> | void): Promise<void> | void {
  return yieldToEventLoop === undefined ? step() : yieldToEventLoop().then(step);
}

/** Metadata rules of every kind. They come second, so that more specific messages of the kind come first. */
export function validateCommonMetadata<T extends KubeObject>(core: StoreCore<T>, object: T): readonly FieldError[] {
  return validateObjectMeta(object.metadata, {
    namespaced: core.namespaced,
    validateName: validatePathSegmentName,
    path: METADATA,
  });
}

/** Throws 422 with a cause for each error, if there are any. */
export function throwIfInvalid<T extends KubeObject>(
  core: StoreCore<T>,
  object: T,
  errors: readonly FieldError[],
): void {
  if (errors.length === 0) return;
  throw newInvalid(core.writePolicy.kindInErrors(object, core.groupKind), object.metadata.name ?? '', errors);
}

/** The name of an object, or the base of its generated name. */
export type NameMeta = Pick<ObjectMeta, 'name' | 'generateName'>;

/**
 * Adapts the error of a taken name if the server generated it.
 * Upstream: CheckGeneratedNameError of k8s.io/apiserver/pkg/registry/rest/create.go
 */
export function checkGeneratedNameError<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  error: unknown,
  { generateName, name }: NameMeta,
): unknown {
  if (!isAlreadyExists(error) || generateName === undefined || generateName === '') return error;
  // The group is that of the stored kind: core Events have none in their own group either.
  const resource = { ...groupResourceOf(core, context), group: core.groupKind.group };
  return newGenerateNameConflict(resource, name ?? '', 1);
}
