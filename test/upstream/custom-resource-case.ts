import { setTimeout } from 'node:timers/promises';
import { startInMemory } from '@apiserver/apiextensions/testing';
import * as cborCodec from '@apiserver/apimachinery/codec/cbor';
import { DEFINITIONS } from '../harness/custom-resource-definition.ts';
import { jsonOfCbor } from './forms/json-of-cbor.ts';
import type { SeenResponse, SentRequest } from './our-server.ts';

type MemoryResponse = Awaited<ReturnType<ReturnType<typeof startInMemory>['ask']>>;

/** Requests that define the resource ts.g.io and use it. */
export interface DefinitionCase {
  /** True to serve and store CBOR. Default: false. */
  readonly cbor?: boolean;
  readonly requests: readonly SentRequest[];
}

/** A response without what differs between runs. */
export interface Seen {
  readonly status: number;
  readonly warnings: readonly string[];
  readonly body: string;
}

export const RESOURCES = '/apis/g.io/v1/ts';

/** The definition of the resource. */
export function definitionOfT<Version>(versions: Version[]) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'ts.g.io' },
    spec: {
      group: 'g.io',
      scope: 'Cluster',
      names: { plural: 'ts', singular: 't', kind: 'T', listKind: 'TList' },
      versions,
    },
  };
}

const json = 'application/json';

/** Reports whether a request is about the definition itself. */
export const isDefinition = ({ url }: SentRequest) => url.startsWith(DEFINITIONS);

/** A body without what differs between runs. */
function comparable(request: SentRequest, text: string): string {
  const same = text
    .trim()
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (uid) =>
      uid.startsWith('123e4567') ? uid : 'UID',
    )
    .replaceAll(/patch: Invalid value: (\\*)"\{.*\}\1": /g, 'patch: Invalid value: ')
    .replaceAll(/(\\*"resourceVersion\\*":\\*")\d+/g, '$1RV')
    .replaceAll(/^( *resourceVersion: ")\d+"$/gm, '$1RV"')
    .replaceAll(/"continue":"\w+=*"/g, '"continue":"TOKEN"')
    .replaceAll(/Key: \/(?:(?:registry\/)?g\.io\/ts|resources)\//g, 'Key: /')
    .replaceAll(/\bg-[a-z0-9]{5}\b/g, 'g-')
    .replaceAll(/selfType\d+/g, 'selfType')
    // Errors show an empty map of a patch, which is lost here.
    .replaceAll(/(\\+"Properties\\+":)\{\}/g, '$1null')
    // The server in memory has no descriptions of metadata.
    .replaceAll(/("name":"(?:Name|Age)","type":"\w+","format":"\w*","description":)"[^"]*"/g, '$1""')
    .replaceAll(/in scheme \\"[^"]*\\"/g, 'in scheme')
    .replaceAll(/20(?!24)\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME');
  if (!isDefinition(request) || !same.startsWith('{"kind":"CustomResourceDefinition"')) return same;
  const found = JSON.parse(same);
  const { managedFields: _, ...metadata } = found.metadata;
  return JSON.stringify({ ...found, metadata, status: undefined });
}

async function ours({ requests, cbor = false }: DefinitionCase): Promise<Seen[]> {
  const server = startInMemory(cbor ? { cbor: cborCodec } : {});
  await server.started;
  const seen: Seen[] = [];
  for (const request of requests) {
    const { method, url: path, contentType: type = json, accept = json, body } = request;
    const sent = body === undefined ? {} : { body: Buffer.from(body, 'base64') };
    const response = await server.ask({ method, path, type, accept, ...sent });
    if (isDefinition(request) && response.code < 300) await established(server, response.json.metadata.name);
    // Headers are bytes.
    const warnings = response.warnings.map((warning) => Buffer.from(warning, 'latin1').toString()).sort();
    seen.push({ status: response.code, warnings, body: comparable(request, textOf(response)) });
  }
  await server.stop();
  return seen;
}

function textOf({ contentType, bytes, text }: MemoryResponse): string {
  return contentType === 'application/cbor' ? jsonOfCbor(bytes) : text;
}

/** A changed definition is served a moment later. */
async function established({ ask }: ReturnType<typeof startInMemory>, name: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const { json: found } = await ask({ method: 'GET', path: `${DEFINITIONS}/${name}` });
    const conditions: readonly { readonly type: string; readonly status: string }[] = found.status?.conditions ?? [];
    if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) break;
    await setTimeout(2);
  }
  await setTimeout(10);
}

function theirs(answer: readonly SeenResponse[], { requests }: DefinitionCase): Seen[] {
  return answer.map(({ status, warnings, body }, index) => ({
    status,
    warnings: warnings.map((header) => header.replace(/^299 - "(.*)"$/s, '$1').replaceAll(/\\(["\\])/g, '$1')).sort(),
    body: comparable(requests[index] as SentRequest, Buffer.from(body, 'base64').toString()),
  }));
}

/** The area of upstream's program that serves custom resources, and both sides of its comparison. */
export const customResources = { area: 'customResources', ours, theirs };

/**
 * Unknown fields in the place of a scalar, which is refused anyway. Upstream tolerates them if the scalar declares
 * fields.
 */
function withoutStrayWarnings(seen: Seen | undefined): Seen | undefined {
  return seen?.status === 422 && seen.body.includes('in body must be of type') ? { ...seen, warnings: [] } : seen;
}

const asked = new WeakMap<DefinitionCase, number>();
/** Answers after which the order of errors is taken for that of a Go map. */
const ORDERED = 6;

/** The first request whose responses differ, with those before it. */
export function differenceOf(theirs: readonly Seen[], ours: readonly Seen[], one: DefinitionCase): unknown {
  const times = (asked.get(one) ?? 0) + 1;
  asked.set(one, times);
  const same = times > ORDERED ? inAnyOrder : (seen: Seen | undefined) => JSON.stringify(seen);
  const comparable = (seen: Seen | undefined) => same(withoutStrayWarnings(seen));
  const at = theirs.findIndex((seen, index) => comparable(seen) !== comparable(ours[index]));
  if (at === -1) return undefined;
  const requests = one.requests
    .slice(0, at + 1)
    .map(({ method, url, body = '' }) => [method, url, Buffer.from(body, 'base64').toString()]);
  return { requests, theirs: theirs[at], ours: ours[at] };
}

/** The parts of a response in any order. */
function inAnyOrder(seen: Seen | undefined): string {
  return JSON.stringify({ ...seen, body: [...(seen?.body ?? '')].sort().join('') });
}
