import type { GroupVersionKind } from '../types/group-version.js';

/** The OpenAPI version of a schema: 2.0 (`/openapi/v2`) or 3.0 (`/openapi/v3`). */
export type OpenApiVersion = 'v2' | 'v3';

/** Options for converting schemas to definitions. */
export interface OpenApiOptions {
  readonly version: OpenApiVersion;
  /** Lists the values of string types with enumerated values (feature gate OpenAPIEnums). */
  readonly enums: boolean;
  /**
   * The description of a definition, or of one of its properties; `PROPERTY#values` is the text about an enum's values.
   */
  readonly describe?: (definition: string, property?: string) => string | undefined;
  /** The kinds that a definition is the root of, for `x-kubernetes-group-version-kind`. */
  readonly kindsOf?: (definition: string) => readonly GroupVersionKind[];
}
