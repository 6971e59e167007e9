import type { GroupVersionKind } from '../types/group-version.js';
import type { KubeObject } from '../types/object-meta.js';
import type { StructSchema } from './schema.js';
import type { ValueValidation } from './value-validation.js';

/**
 * A kind: its name, the schema of its objects, and its resource. `T` is the TypeScript type of the objects; it exists
 * for inference only.
 */
export interface KindSchema<T = KubeObject> {
  readonly gvk: GroupVersionKind;
  /** Built on first use. */
  readonly schema: StructSchema;
  /**
   * `typed`: built-in kinds. A wrong type is rejected with its name; nulls and zero values of omitempty fields are
   * dropped. `structural`: custom resources. The client's values are kept as far as the schema allows.
   */
  readonly semantics: 'typed' | 'structural';
  /** Structural semantics: rules for values beyond the shape of `schema`. */
  readonly validation?: ValueValidation;
  /** The kind of the list of such objects, if there is one. */
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
  /** Verbs of the generated clients, lower-case (`deletecollection`), without subresource calls. */
  readonly verbs: readonly string[];
}

/** Kubernetes releases (`1.21`) that introduced, deprecated and removed a kind. */
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
