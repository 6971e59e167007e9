import type { GroupVersionKind, JsonObject } from '@apiserver/apimachinery';
import type { DocumentContext } from './definitions-of-routes.js';
import type { FragmentV2 } from './fragment-v2.js';
import { withKinds } from './known-kinds.js';
import type { SpecTexts } from './remote/merge-remote-spec.js';

/** The kinds of a definition: none, one, or one of each group version. */
export type KindsOf = (definition: string) => readonly GroupVersionKind[] | undefined;

/**
 * The parts of all fragments. Their texts are kept, so that only those of a changed group version are written again.
 *
 * Upstream: k8s.io/kube-openapi/pkg/builder
 */
export function partsV2(fragments: readonly FragmentV2[], kindsOf: KindsOf): SpecTexts {
  const definitions = new Map(fragments.flatMap((fragment) => [...fragment.definitions]));
  for (const [name, text] of definitions) definitions.set(name, withKinds(text, kindsOf(name)));
  return {
    paths: new Map(fragments.flatMap(({ paths }) => paths)),
    definitions,
    parameters: new Map(fragments.flatMap((fragment) => [...fragment.parameters])),
  };
}

/** The JSON of the OpenAPI 2.0 document with these parts. */
export function documentV2(parts: SpecTexts, context: Pick<DocumentContext, 'info' | 'bearerTokens'>): string {
  const members = [
    `"swagger":"2.0","info":${JSON.stringify(context.info)}`,
    `"paths":${sortedObject(parts.paths)}`,
    `"definitions":${sortedObject(parts.definitions)}`,
    `"parameters":${sortedObject(parts.parameters)}`,
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
function sortedObject(members: ReadonlyMap<string, string>): string {
  const sorted = [...members].sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}
