import type { Describe } from '@apiserver/api';
import type { GroupVersion, GroupVersionKind, JsonObject } from '@apiserver/apimachinery';
import { inSlices } from '@apiserver/apimachinery/clock';
import { openApiDefinitionSteps } from '@apiserver/apimachinery/openapi';
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
  const steps = openApiDefinitionSteps(routes.flatMap(schemasOf), { version: 'v3', enums, describe });
  const definitions = await inSlices(steps);
  await addKinds(definitions, kinds, everyGroupVersion);
  return definitions;
}

/** All routes, in steps: to make one takes longer than to keep it. */
export function* gathered(routes: Iterable<OpenApiRoute>): Generator<void, readonly OpenApiRoute[]> {
  const all: OpenApiRoute[] = [];
  for (const route of routes) {
    all.push(route);
    yield;
  }
  return all;
}

/** The types that a route takes and gives. */
export function schemasOf({ body, responses }: OpenApiRoute): readonly StructSchema[] {
  return [...(body === undefined ? [] : [body.schema]), ...responses.flatMap(({ schema }) => schema ?? [])];
}
