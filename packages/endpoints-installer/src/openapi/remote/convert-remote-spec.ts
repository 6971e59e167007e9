import { TimeSlice } from '@apiserver/apimachinery/clock';
import { isMembers } from '@apiserver/apimachinery/json';
import type { Handler } from '@apiserver/apiserver-contracts';
import { relativeUrl } from '../open-api-documents.js';
import { encodeDocumentV3 } from '../protobuf-v3.js';
import { respondV3 } from '../respond-open-api.js';
import { type MemberRange, memberRanges, parsedMember } from '../serialized/member-ranges.js';
import { serializeDocument } from '../serialized/serialized-document.js';
import {
  ContentBudget,
  convertPathItem,
  convertResponse,
  convertSchema,
  convertSecurityScheme,
  docsOf,
} from './convert-parts.js';
import { readOthers, readParameter, readPathItem, readSchema } from './spec-fields.js';

/** Maximum length of a document. */
const MAX_LENGTH = 2 * 1024 * 1024;
const reading = { ref: (reference: string): string => reference, keepsEmpty: true } as const;

/** A document of version 3 that this server serves for another one. */
export interface ConvertedSpec {
  /** With the hash of the document. */
  readonly url: string;
  readonly handler: Handler;
}

/** The document and its place. */
export interface ConvertedSpecOptions {
  /** The OpenAPI document of version 2. */
  readonly text: string;
  /** `apis/example.com/v1` */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Converts a whole document of version 2. Pauses between parts. Throws a TypeError or SyntaxError for a document that
 * Go's types do not take, or that is too large.
 * Upstream: ConvertV2ToV3 of k8s.io/kube-openapi/pkg/openapiconv, served by pkg/handler3
 */
export async function convertRemoteSpec({ text, name, now }: ConvertedSpecOptions): Promise<ConvertedSpec> {
  const document = await serializeDocument(await convertedText(text), now(), encodeDocumentV3);
  return { url: relativeUrl(name, document.hash), handler: (exchange) => respondV3(exchange, name, document, now) };
}

/** Part of the text of an object: the JSON of a member. */
type MemberTexts = [name: string, text: string][];

async function convertedText(text: string): Promise<string> {
  const slice = new TimeSlice();
  const budget = new ContentBudget(MAX_LENGTH);
  const members = new Map((await memberRanges(text, slice)).map((range) => [range.name, range]));
  const partsOf = (name: string, convert: (name: string, value: unknown) => unknown) => {
    const range = members.get(name);
    members.delete(name);
    return range && memberTexts(text, range, { convert, slice });
  };
  const paths = await partsOf('paths', (name, value) => convertPath(name, value, budget));
  const schemas = await partsOf('definitions', (_, value) => convertSchema(readSchema(value, reading) ?? {}));
  await partsOf('parameters', (_, value) => readParameter(value, reading));
  const others: Record<string, unknown> = {};
  for (const range of members.values()) {
    Object.assign(others, readOthers({ [range.name]: parsedMember(text, range) }, reading));
    if (slice.over) await slice.yield();
  }
  const made = documentText(others, { paths, schemas, budget });
  if (made.length > MAX_LENGTH) throw new TypeError('the document is too large');
  return made;
}

function convertPath(name: string, value: unknown, budget: ContentBudget): unknown {
  if (/^x-/i.test(name)) return value;
  if (!name.startsWith('/')) return undefined;
  const item = readPathItem(value, reading);
  return isMembers(item) ? convertPathItem(item, budget) : {};
}

interface PartOptions {
  /** Undefined: the part is left out. */
  readonly convert: (name: string, value: unknown) => unknown;
  readonly slice: TimeSlice;
}

/** Undefined for null. */
async function memberTexts(
  text: string,
  whole: MemberRange,
  { convert, slice }: PartOptions,
): Promise<MemberTexts | undefined> {
  if (/^\s*null\s*$/.test(text.slice(whole.start, Math.min(whole.end, whole.start + 1_000)))) return undefined;
  const texts = new Map<string, string>();
  let length = 0;
  for (const range of await memberRanges(text, slice, whole)) {
    const made = convert(range.name, parsedMember(text, range));
    if (made !== undefined) texts.set(range.name, JSON.stringify(made));
    length += texts.get(range.name)?.length ?? 0;
    if (length > MAX_LENGTH) throw new TypeError('the document is too large');
    if (slice.over) await slice.yield();
  }
  return [...texts].sort(([a], [b]) => (a < b ? -1 : 1));
}

interface ConvertedParts {
  readonly paths: MemberTexts | undefined;
  readonly schemas: MemberTexts | undefined;
  readonly budget: ContentBudget;
}

function documentText(others: Readonly<Record<string, unknown>>, { paths, schemas, budget }: ConvertedParts): string {
  const { info = null, externalDocs, responses, securityDefinitions, produces } = others;
  const components: MemberTexts = [
    ['responses', objectText(convertedTexts(responses, (one) => convertResponse(one, produces, budget)))],
    ['schemas', objectText(schemas ?? [])],
    ['securitySchemes', objectText(convertedTexts(securityDefinitions, convertSecurityScheme))],
  ];
  const head = Object.entries({ openapi: '3.0.0', info, ...docsOf(externalDocs) });
  return objectText([
    ...head.map(([name, value]): MemberTexts[number] => [name, JSON.stringify(value)]),
    ...(paths === undefined ? [] : [['paths', objectText(paths)] satisfies MemberTexts[number]]),
    ['components', objectText(components.filter(([, text]) => text !== '{}'))],
  ]);
}

function convertedTexts(
  members: unknown,
  convert: (member: Readonly<Record<string, unknown>>) => unknown,
): MemberTexts {
  if (!isMembers(members)) return [];
  return Object.entries(members).map(([name, one]) => [name, JSON.stringify(isMembers(one) ? convert(one) : one)]);
}

function objectText(members: MemberTexts): string {
  return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}
