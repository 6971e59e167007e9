import type { GroupVersionKind } from '../types/group-version.js';

/** Which OpenAPI a schema is written in: 2.0 (`/openapi/v2`) or 3.0 (`/openapi/v3`). */
export type OpenApiVersion = 'v2' | 'v3';

/** How schemas become definitions. */
export interface OpenApiOptions {
  readonly version: OpenApiVersion;
  /** List the values of string types that have them (feature gate OpenAPIEnums). */
  readonly enums: boolean;
  /** The description of a definition, or of one of its properties; as `PROPERTY#values` what is said of an enum's values. */
  readonly describe?: (definition: string, property?: string) => string | undefined;
  /** The kinds that a definition is the root of, for `x-kubernetes-group-version-kind`. */
  readonly kindsOf?: (definition: string) => readonly GroupVersionKind[];
}
