import type { KubeObject, ObjectMeta } from '@apiserver/apimachinery';
import { collectFieldErrors, type FieldError, FieldPath } from '@apiserver/apimachinery/field';
import { validateObjectMetaUpdate } from '@apiserver/apimachinery/validation';
import type { VerbContext } from '@apiserver/apiserver-contracts';
import { inNextTurn, throwIfInvalid, validateCommonMetadata } from './before-create.js';
import { furtherErrors } from './further-checks.js';
import type { StoreCore } from './store-core.js';
import { ensureNamespace } from './system-fields.js';

const METADATA = FieldPath.of('metadata');

/**
 * Prepares an object of any kind to replace a stored one: restores immutable fields, then prepareForUpdate, validation,
 * warnings, canonicalize. Changes `object`; `old` is frozen. Throws, or rejects with, 400 for another namespace, 422
 * for an invalid object, 500 for a custom resource whose apiVersion a patch removed.
 * Upstream: BeforeUpdate of k8s.io/apiserver/pkg/registry/rest/update.go
 */
export function beforeUpdate<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  object: T,
  old: T,
): Promise<void> | void {
  const { metadata } = object;
  core.writePolicy.requireVersion(object);
  ensureNamespace(core, context, metadata);
  restore(metadata, old.metadata, 'generation');
  const preparing = core.strategy.prepareForUpdate?.(context, object, old);
  const check = () => checkPrepared(core, context, object, old);
  return preparing === undefined ? inNextTurn(context, check) : preparing.then(check);
}

function checkPrepared<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  object: T,
  old: T,
): Promise<void> | void {
  const { strategy } = core;
  const { metadata } = object;
  restoreSystemFields(metadata, old.metadata);
  let own: readonly FieldError[] = [];
  let errors: readonly FieldError[] = [];
  const further = furtherErrors(strategy, context, { object, old }, () => {
    errors = collectFieldErrors(() => {
      const common = [
        ...validateCommonMetadata(core, object),
        ...validateObjectMetaUpdate(metadata, old.metadata, METADATA),
      ];
      own = strategy.validateUpdate(context, object, old);
      return [...common, ...own];
    });
    return own;
  });
  const finish = (more: readonly FieldError[]) =>
    finishChecks(core, context, { object, old }, more.length === 0 ? errors : [...errors, ...more]);
  return further instanceof Promise ? further.then(finish) : finish(further);
}

function finishChecks<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  { object, old }: { readonly object: T; readonly old: T },
  errors: readonly FieldError[],
): Promise<void> | void {
  const { strategy } = core;
  throwIfInvalid(core, object, errors);
  return inNextTurn(context, () => {
    for (const warning of strategy.warningsOnUpdate?.(context, object, old) ?? []) context.warnings.warn(warning);
    strategy.canonicalize?.(object);
  });
}

/**
 * A uid may be omitted but not changed (validation checks that); a change of the creation time is ignored; a deletion
 * that has begun is never reverted.
 */
function restoreSystemFields(metadata: ObjectMeta, old: ObjectMeta): void {
  if (!metadata.uid) restore(metadata, old, 'uid');
  if (old.creationTimestamp) restore(metadata, old, 'creationTimestamp');
  if (old.deletionTimestamp) restore(metadata, old, 'deletionTimestamp');
  if (metadata.deletionGracePeriodSeconds === undefined || metadata.deletionGracePeriodSeconds === null) {
    restore(metadata, old, 'deletionGracePeriodSeconds');
  }
}

function restore<K extends keyof ObjectMeta>(metadata: ObjectMeta, old: ObjectMeta, field: K): void {
  const value = old[field];
  if (value !== undefined) metadata[field] = value;
  else if (Object.hasOwn(metadata, field)) delete metadata[field];
}
