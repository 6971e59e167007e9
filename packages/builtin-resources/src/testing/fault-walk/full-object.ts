/** A valid object of a kind with values in most of its fields, and what changes in it. */
export interface FullObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** Objects of one kind with the same name are recorded together. */
  readonly name?: string;
  /** Distinguishes objects with the same name. */
  readonly title?: string;
  /** All fields beside apiVersion, kind and metadata. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** Paths whose values stay as they are, as another object has the same. */
  readonly skipped?: readonly string[];
  /** The only path below which values change. */
  readonly below?: string;
  /** Without updates, which forbid nearly all changes of a pod. */
  readonly onlyCreated?: boolean;
  /** Updates of these subresources, beside the status. */
  readonly subresources?: readonly string[];
  /** Further changes: values by path, where undefined removes the field. */
  readonly also?: readonly Readonly<Record<string, unknown>>[];
}
