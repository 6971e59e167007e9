import type { Describe } from '@apiserver/api';
import type { GroupVersion, GroupVersionKind, JsonObject } from '@apiserver/apimachinery';
import { openApiDefinitions } from '@apiserver/apimachinery/openapi';
import type { StructSchema } from '@apiserver/apimachinery/schema';
import { addKinds } from './known-kinds.js';
import type { OpenApiRoute } from './open-api-route.js';

/** The context of documents in both versions of OpenAPI. */
export interface DocumentContext {
  readonly info: { readonly title: string; readonly version: string };
  /** True if the server accepts bearer tokens. */
  readonly bearerTokens: boolean;
  /** List the values of string types that have them. Upstream feature gate: OpenAPIEnums */
  readonly enums: boolean;
  readonly describe: Describe;
  /** Kinds by definition, of everything that is served. */
  readonly kinds: ReadonlyMap<string, GroupVersionKind>;
}

/** The definitions of all types that the routes take and give in version 3, by name. */
export async function definitionsOf(
  routes: readonly OpenApiRoute[],
  context: DocumentContext,
  everyGroupVersion: readonly GroupVersion[],
): Promise<Map<string, JsonObject>> {
  const { enums, describe, kinds } = context;
  const definitions = openApiDefinitions(routes.flatMap(schemasOf), { version: 'v3', enums, describe });
  await addKinds(definitions, kinds, everyGroupVersion);
  return definitions;
}

/** The types that a route takes and gives. */
export function schemasOf({ body, responses }: OpenApiRoute): readonly StructSchema[] {
  return [...(body === undefined ? [] : [body.schema]), ...responses.flatMap(({ schema }) => schema ?? [])];
}
