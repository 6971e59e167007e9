import type { KubeObject } from '@apiserver/apimachinery';
import type { FieldError } from '@apiserver/apimachinery/field';
import type { VerbContext } from './rest.js';

/** Rules a Store asks when an object is created. Upstream: k8s.io/apiserver/pkg/registry/rest.RESTCreateStrategy */
export interface CreateStrategy<T extends KubeObject = KubeObject> {
  /** Mutates: clears what clients may not set (status), sets generation, allocates. Before validation. */
  prepareForCreate?(context: VerbContext, object: T): void | Promise<void>;
  /** After prepareForCreate; must not change the object. */
  validate(context: VerbContext, object: T): readonly FieldError[];
  warningsOnCreate?(context: VerbContext, object: T): readonly string[];
  /** Makes a name of `metadata.generateName`. Default: with five characters by chance at its end. Upstream: names.NameGenerator */
  generateName?(base: string): string;
  /** Mutates into canonical form after validation, so that equal objects are stored equal. */
  canonicalize?(object: T): void;
}

/** Upstream: rest.RESTUpdateStrategy */
export interface UpdateStrategy<T extends KubeObject = KubeObject> {
  /** PUT of a name that does not exist creates it. */
  readonly allowCreateOnUpdate: boolean;
  /** An update without resourceVersion overwrites whatever is there. */
  readonly allowUnconditionalUpdate: boolean;
  prepareForUpdate?(context: VerbContext, object: T, old: T): void | Promise<void>;
  validateUpdate(context: VerbContext, object: T, old: T): readonly FieldError[];
  warningsOnUpdate?(context: VerbContext, object: T, old: T): readonly string[];
}

/** Upstream: rest.RESTGracefulDeleteStrategy and garbageCollectionDeleteStrategy */
export interface DeleteStrategy<T extends KubeObject = KubeObject> {
  /**
   * Decides on graceful deletion: answers the grace period in seconds to record, or undefined to delete at once.
   * Absent: no graceful deletion for this kind.
   */
  checkGracefulDelete?(context: VerbContext, object: T, requestedSeconds: number | undefined): number | undefined;
  /** What happens to dependents when nobody says; Unsupported: the kind has none, and never gets a deletion finalizer. */
  readonly defaultGarbageCollectionPolicy?: 'Background' | 'Orphan' | 'Unsupported';
}

/** All rules of a kind in one value. Upstream: rest strategies of pkg/registry/<group>/<resource>/strategy.go */
export interface Strategy<T extends KubeObject = KubeObject>
  extends CreateStrategy<T>,
    UpdateStrategy<T>,
    DeleteStrategy<T> {
  /** Fields that this endpoint resets, by apiVersion, for managed fields: paths such as "status". */
  readonly resetFields?: readonly string[];
}
