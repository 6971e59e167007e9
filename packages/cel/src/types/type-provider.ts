import type { CelType } from './cel-type.js';

/** The types with fields that an environment knows, beside the simple ones. */
export interface TypeProvider {
  /** The type of a name; undefined if there is none. */
  findType(name: string): CelType | undefined;
  /** The type of a field; undefined if the type has no such field. */
  findField(typeName: string, field: string): CelType | undefined;
}
