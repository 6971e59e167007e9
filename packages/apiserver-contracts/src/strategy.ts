import type { KubeObject } from '@apiserver/apimachinery';
import type { FieldError } from '@apiserver/apimachinery/field';
import type { VerbContext } from './rest.js';

/** Rules of a Store for creating an object. Upstream: k8s.io/apiserver/pkg/registry/rest.RESTCreateStrategy */
export interface CreateStrategy<T extends KubeObject = KubeObject> {
  /** Runs before validation. Mutates: clears fields that clients may not set (status), sets generation, allocates. */
  prepareForCreate?(context: VerbContext, object: T): void | Promise<void>;
  /** Runs after prepareForCreate; must not change the object. */
  validate(context: VerbContext, object: T): readonly FieldError[];
  /**
   * Validation that may take several event loop turns. Runs after `validate` or `validateUpdate`, whose errors it gets,
   * and returns further ones. `old` is undefined for a new object.
   */
  validateInTurns?(
    context: VerbContext,
    object: T,
    old: T | undefined,
    errors: readonly FieldError[],
  ): readonly FieldError[] | Promise<readonly FieldError[]>;
  warningsOnCreate?(context: VerbContext, object: T): readonly string[];
  /**
   * Generates a name from `metadata.generateName`. Default: appends five random characters.
   * Upstream: names.NameGenerator
   */
  generateName?(base: string): string;
  /** Converts to canonical form after validation, so that equal objects are stored as equal bytes. Mutates. */
  canonicalize?(object: T): void;
}

/** Upstream: rest.RESTUpdateStrategy */
export interface UpdateStrategy<T extends KubeObject = KubeObject> {
  /** True if PUT creates an object that does not exist. */
  readonly allowCreateOnUpdate: boolean;
  /** True if an update without resourceVersion overwrites any version. */
  readonly allowUnconditionalUpdate: boolean;
  prepareForUpdate?(context: VerbContext, object: T, old: T): void | Promise<void>;
  validateUpdate(context: VerbContext, object: T, old: T): readonly FieldError[];
  warningsOnUpdate?(context: VerbContext, object: T, old: T): readonly string[];
}

/** Upstream: rest.RESTGracefulDeleteStrategy and garbageCollectionDeleteStrategy */
export interface DeleteStrategy<T extends KubeObject = KubeObject> {
  /**
   * Returns the grace period to record, in seconds, or undefined to delete at once. Absent: this kind has no graceful
   * deletion.
   */
  checkGracefulDelete?(
    context: VerbContext,
    object: T,
    requestedSeconds: number | bigint | undefined,
  ): number | bigint | undefined;
  /**
   * Default deletion policy for dependents. Unsupported: the kind has no dependents and never gets a deletion
   * finalizer.
   */
  readonly defaultGarbageCollectionPolicy?: 'Background' | 'Orphan' | 'Unsupported';
}

/** All rules of a kind. Upstream: rest strategies of pkg/registry/<group>/<resource>/strategy.go */
export interface Strategy<T extends KubeObject = KubeObject>
  extends CreateStrategy<T>,
    UpdateStrategy<T>,
    DeleteStrategy<T> {
  /** Fields that this endpoint resets, by apiVersion, for managed fields; paths such as "status". */
  readonly resetFields?: readonly string[];
  /** The versions, as apiVersion, in which they are reset beside the endpoint's own. Default: by the kind's policy. */
  readonly resetVersions?: readonly string[];
}
