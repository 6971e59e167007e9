import type { GroupVersionKind, JsonObject } from '@apiserver/apimachinery';
import type { DocumentContext } from './definitions-of-routes.js';
import type { FragmentV2 } from './fragment-v2.js';
import { withKinds } from './known-kinds.js';

/** The kinds of a definition: none, one, or one of each group version. */
export type KindsOf = (definition: string) => readonly GroupVersionKind[] | undefined;

/**
 * The JSON of the OpenAPI 2.0 document of all fragments. Their texts are joined, so that only those of a changed group
 * version are written again.
 *
 * Upstream: k8s.io/kube-openapi/pkg/builder
 */
export function documentV2(
  fragments: readonly FragmentV2[],
  context: Pick<DocumentContext, 'info' | 'bearerTokens'>,
  kindsOf: KindsOf,
): string {
  const definitions = new Map(fragments.flatMap((fragment) => [...fragment.definitions]));
  const parameters = new Map(fragments.flatMap((fragment) => [...fragment.parameters]));
  const described = [...definitions].map(([name, text]) => [name, withKinds(text, kindsOf(name))] as const);
  const members = [
    `"swagger":"2.0","info":${JSON.stringify(context.info)}`,
    `"paths":${sortedObject(fragments.flatMap(({ paths }) => paths))}`,
    `"definitions":${sortedObject(described)}`,
    `"parameters":${sortedObject([...parameters])}`,
  ];
  return `{${members.join(',')}${context.bearerTokens ? `,${SECURITY}` : ''}}`;
}

const security: JsonObject = {
  securityDefinitions: {
    BearerToken: { description: 'Bearer Token authentication', type: 'apiKey', name: 'authorization', in: 'header' },
  },
  security: [{ BearerToken: [] }],
};
const SECURITY = JSON.stringify(security).slice(1, -1);

/** An object of JSON texts, in alphabetical order. */
function sortedObject(members: readonly (readonly [name: string, text: string])[]): string {
  const sorted = members.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}
