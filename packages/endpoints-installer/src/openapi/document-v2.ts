import type { JsonObject } from '@apiserver/apimachinery';
import type { DocumentContext } from './definitions-of-routes.js';
import type { SpecTexts } from './remote/merge-remote-spec.js';

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
