import type { GroupVersionSchema } from '@apiserver/apimachinery/schema';

/** One group version of the built-in API, with the loader of its kinds. */
export interface GroupVersionEntry {
  readonly group: string;
  readonly version: string;
  /** The subpath of this package: `core/v1`. */
  readonly path: string;
  load(): Promise<GroupVersionSchema>;
}
