import { formatGroupVersion } from '@apiserver/apimachinery';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { ourServer, type SeenResponse, type SentRequest, type ServerOptions } from './our-server.ts';

/** Requests to a new server of one kind. */
export interface ServedCase extends Omit<ServerOptions, 'others'> {
  readonly kind: object;
  readonly requests: readonly SentRequest[];
}

const schemas = new Map<object, KindSchema>();
const otherVersions = new Map<object, readonly KindSchema[]>();

/** A case of a kind. Default: neither a store nor CBOR. */
export function servedCase(
  schema: KindSchema,
  requests: readonly SentRequest[],
  options: Partial<ServerOptions> = {},
): ServedCase {
  const { gvk, resource } = schema;
  const { others = [], stored = false, cbor = false } = options;
  const versions = others
    .map((other) => (other.gvk.group === gvk.group ? other.gvk.version : formatGroupVersion(other.gvk)))
    .join();
  const kind = { ...gvk, resource: resource?.plural, namespaced: resource?.namespaced, others: versions };
  const one: ServedCase = { kind, requests, stored, cbor };
  if (others.length > 0) otherVersions.set(one, others);
  schemas.set(one, schema);
  return one;
}

/** Path of the collection of a kind, in the namespace n. */
export function collectionOf({ gvk: { group, version }, resource }: KindSchema): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${resource?.namespaced === false ? '' : '/namespaces/n'}/${resource?.plural}`;
}

/** The cases have older times. */
const THIS_YEAR = /20(?:2[5-9]|[3-9]\d)-[\d:T-]+Z/g;

/** Responses without the times of writes, and without known differences. */
function comparable(responses: readonly SeenResponse[]) {
  return responses.map(({ status, contentType, warnings, body }) => ({
    status,
    contentType,
    warnings,
    body: Buffer.from(body, 'base64')
      .toString()
      .replaceAll(THIS_YEAR, 'NOW')
      // Upstream shows a strategic merge patch without the directives that it has applied.
      .replaceAll(/Invalid value: \\"map\[.*?\]\\": /g, '')
      // Go writes an escape for each byte that is not UTF-8.
      .replaceAll(/(?:\\ufffd|\ufffd)+/g, '?')

      .replaceAll(/in scheme \\"[^"]*\\"/g, 'in scheme')
      // The program's internal types are the external ones.
      .replaceAll(/\(\*[a-z]\w*\./g, '(*core.')
      // Go visits the members of an applied object in any order.
      .replace(
        /errors:((?:\\n {2}[^\\"](?:\\"|\\u|[^\\"])*)+)/g,
        (_, faults: string) => `errors:${faults.split('\\n').sort().join('\\n')}`,
      )
      // Go visits the managers of conflicting fields in any order.
      .replace(/(?<="causes":\[)\{"reason":"FieldManagerConflict".*?\}(?=\])/, (causes) =>
        causes
          .split(/(?<=\}),/)
          .sort()
          .join(),
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

/** Upstream's program has no version of its own, and so warns about every version that will ever be deprecated. */
const isDeprecation = (warning: string) => /^\S+ \w+ is deprecated in v/.test(warning);

function theirs(answer: readonly SeenResponse[]): Comparable {
  return comparable(
    answer.map((response) => ({
      ...response,
      warnings: response.warnings.map(warningText).filter((warning) => !isDeprecation(warning)),
    })),
  );
}

async function ours(one: ServedCase): Promise<Comparable> {
  await using server = ourServer(schemas.get(one) as KindSchema, { ...one, others: otherVersions.get(one) ?? [] });
  const responses: SeenResponse[] = [];
  for (const request of one.requests) responses.push(await server.serve(request));
  return comparable(responses);
}

/** The area of upstream's program that serves kinds, and both sides of its comparison. */
export const served = { area: 'server', ours, theirs, difference: firstDifference };
