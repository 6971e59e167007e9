import type { GroupVersionKind } from '../types/group-version.js';
import type { KubeObject } from '../types/object-meta.js';
import type { StructSchema } from './schema.js';
import type { ValueValidation } from './value-validation.js';

/**
 * A kind: its name, the schema of its objects, and what is known of it as a resource. `T` is the TypeScript type of the
 * objects; it exists for inference only.
 */
export interface KindSchema<T = KubeObject> {
  readonly gvk: GroupVersionKind;
  /** Built on first use. */
  readonly schema: StructSchema;
  /**
   * `typed`: built-in kinds; a wrong type is refused with its name, nulls and zero values of omitempty fields drop.
   * `structural`: custom resources; what the client wrote is kept as far as the schema allows.
   */
  readonly semantics: 'typed' | 'structural';
  /** Structural semantics: what values must satisfy beside having a place in `schema`. */
  readonly validation?: ValueValidation;
  /** The kind of the list of such objects, where there is one. */
  readonly listKind?: string;
  /** For a list: the kind of its items. */
  readonly itemKind?: string;
  readonly resource?: KindResource;
  readonly lifecycle?: KindLifecycle;
  /** Never set: carries `T`. */
  readonly objectType?: T;
}

/** The resource that serves a kind. */
export interface KindResource {
  /** Lower-case plural, as in paths. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** Verbs of the generated clients, lower-case (`deletecollection`), subresource calls not among them. */
  readonly verbs: readonly string[];
}

/** Releases of Kubernetes (`1.21`) in which a kind came, was deprecated and stops being served. */
export interface KindLifecycle {
  readonly introduced?: string;
  readonly deprecated?: string;
  readonly removed?: string;
  readonly replacement?: GroupVersionKind;
}

/** All kinds of one group version. `kinds` is a function so that loading the module builds nothing. */
export interface GroupVersionSchema {
  readonly group: string;
  readonly version: string;
  kinds(): readonly KindSchema<unknown>[];
}
