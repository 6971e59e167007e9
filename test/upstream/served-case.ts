import type { KindSchema } from '@apiserver/apimachinery/schema';
import { ourServer, type SeenResponse, type SentRequest } from './our-server.ts';

/** Requests to a new server of one kind. */
export interface ServedCase {
  readonly kind: object;
  readonly requests: readonly SentRequest[];
}

const schemas = new Map<object, KindSchema>();

/** A case of a kind. */
export function servedCase(schema: KindSchema, requests: readonly SentRequest[]): ServedCase {
  const { gvk, resource } = schema;
  const one = { kind: { ...gvk, resource: resource?.plural, namespaced: resource?.namespaced }, requests };
  schemas.set(one, schema);
  return one;
}

/** Path of the collection of a kind, in the namespace n. */
export function collectionOf({ gvk: { group, version }, resource }: KindSchema): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${resource?.namespaced === false ? '' : '/namespaces/n'}/${resource?.plural}`;
}

/** Responses without the times of writes, and without known differences. */
function comparable(responses: readonly SeenResponse[]) {
  return responses.map(({ status, warnings, body }) => ({
    status,
    warnings,
    body: Buffer.from(body, 'base64')
      .toString()
      // Upstream shows a strategic merge patch without the directives that it has applied.
      .replaceAll(/Invalid value: \\"map\[.*?\]\\": /g, '')
      .replaceAll(/(\\*"time\\*":\\*")\d{4}-[\d:T-]+Z/g, '$1NOW')
      // Go writes an escape for each byte that is not UTF-8.
      .replaceAll(/(?:\\ufffd|\ufffd)+/g, '?')
      .replaceAll(/time: "\d{4}-[\d:T-]+Z"/g, 'time: NOW')
      .replaceAll(/in scheme \\"[^"]*\\"/g, 'in scheme')
      // The program's internal types are the external ones.
      .replaceAll(/\(\*(?:v1|core|apps)\./g, '(*core.')
      // Go visits the members of an applied object in any order.
      .replace(
        /errors:((?:\\n {2}[^\\"](?:\\"|\\u|[^\\"])*)+)/g,
        (_, faults: string) => `errors:${faults.split('\\n').sort().join('\\n')}`,
      )
      .trimEnd(),
  }));
}

type Comparable = ReturnType<typeof comparable>;

function firstDifference(theirs: Comparable, ours: Comparable, { requests }: ServedCase): unknown {
  const at = theirs.findIndex((one, index) => JSON.stringify(one) !== JSON.stringify(ours[index]));
  if (at === -1) return undefined;
  const sent = requests[at];
  const before = ours[at - 1]?.body;
  const body = Buffer.from(sent?.body ?? '', 'base64').toString();
  return {
    url: `${sent?.method} ${sent?.url}`,
    type: sent?.contentType,
    before,
    body,
    theirs: theirs[at],
    ours: ours[at],
  };
}

/** Go's recorder has the whole headers. */
const warningText = (header: string) => header.replace(/^299 - "(.*)"$/s, '$1').replaceAll(/\\(["\\])/g, '$1');

function theirs(answer: readonly SeenResponse[]): Comparable {
  return comparable(answer.map((response) => ({ ...response, warnings: response.warnings.map(warningText) })));
}

async function ours(one: ServedCase): Promise<Comparable> {
  const serve = ourServer(schemas.get(one) as KindSchema);
  const responses: SeenResponse[] = [];
  for (const request of one.requests) responses.push(await serve(request));
  return comparable(responses);
}

/** The area of upstream's program that serves kinds, and both sides of its comparison. */
export const served = { area: 'server', ours, theirs, difference: firstDifference };
