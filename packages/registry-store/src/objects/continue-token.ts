import { posix } from 'node:path';
import { parseJsonValue } from '@apiserver/apimachinery/codec/json';
import { isDecodeError, newBadRequest } from '@apiserver/apimachinery/errors';

/** The position of the next page of a list. */
export interface ContinueToken {
  /** First key of the rest, relative to the listed prefix. */
  readonly startKey: string;
  /** The revision of the first page; -1: the newest, which makes the list inconsistent. */
  readonly revision: number;
}

const VERSION = 'meta.k8s.io/v1';
const INVALID = 'continue key is not valid';

/** Upstream: k8s.io/apiserver/pkg/storage/continue.go; the token's content is a public format. */
export function encodeContinueToken(token: ContinueToken): string {
  const json = JSON.stringify({ v: VERSION, rv: token.revision, start: token.startKey });
  return Buffer.from(json).toString('base64url');
}

/**
 * The token of a list below one namespace, for a list of all. Upstream reads the position of the former below the prefix of
 * the latter, and repeats or skips objects.
 */
export function tokenOutside(namespace: string, token: string): string {
  const { startKey, revision } = decodeContinueToken(token);
  return encodeContinueToken({ startKey: `/${namespace}/${startKey}`, revision });
}

/** Throws 400 with upstream's text for an invalid token. */
export function decodeContinueToken(text: string): ContinueToken {
  const { v = '', rv = 0, start = '' } = parseToken(text);
  if (v !== VERSION) throw invalid(`${INVALID}: server does not recognize this encoded version ${v}`);
  if (rv === 0) throw invalid(`${INVALID}: incorrect encoded start resourceVersion (version ${VERSION})`);
  if (start === '') throw invalid(`${INVALID}: encoded start key empty (version ${VERSION})`);
  // A path that leaves the listed prefix would reveal objects that the client may not list.
  const rooted = start.startsWith('/') ? start : `/${start}`;
  if (cleanPath(rooted) !== rooted) throw invalid(`${INVALID}: ${start}`);
  return { startKey: rooted.slice(1), revision: rv };
}

interface TokenFields {
  v?: string;
  rv?: number;
  start?: string;
}

function parseToken(text: string): TokenFields {
  const illegal = illegalBase64At(text);
  if (illegal !== undefined) throw invalid(`${INVALID}: illegal base64 data at input byte ${illegal}`);
  const json = Buffer.from(text, 'base64url');
  try {
    return tokenFields(parseJsonValue(json), json);
  } catch (error) {
    if (isDecodeError(error)) throw invalid(`${INVALID}: ${error.message}`);
    throw error;
  }
}

/** With Go's messages. Names of members are case-insensitive; the last one wins, and the first fault. */
function tokenFields(value: unknown, json: Buffer): TokenFields {
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw unmarshalFault(value, 'Go value of type storage.continueToken');
  }
  const fields: TokenFields = {};
  for (const [key, member] of Object.entries(value)) {
    const name = key.toLowerCase();
    if (member === null || (name !== 'v' && name !== 'rv' && name !== 'start')) continue;
    if (name === 'rv') fields.rv = versionOf(member, json);
    else if (typeof member === 'string') fields[name] = member;
    else throw unmarshalFault(member, `Go struct field continueToken.${name} of type string`);
  }
  return fields;
}

function versionOf(member: unknown, json: Buffer): number {
  const type = 'Go struct field continueToken.rv of type int64';
  if (typeof member !== 'number' && typeof member !== 'bigint') throw unmarshalFault(member, type);
  // Checks the literal: 1e3 is not an integer to Go.
  const literal = [...json.toString().matchAll(/"rv"\s*:\s*(-?[\d.eE+-]+)/gi)].at(-1)?.[1] ?? String(member);
  if (/^-?\d{1,19}$/.test(literal) && BigInt.asIntN(64, BigInt(literal)) === BigInt(literal)) return Number(literal);
  throw invalid(`${INVALID}: json: cannot unmarshal number ${literal} into ${type}`);
}

function unmarshalFault(value: unknown, into: string): Error {
  const type = Array.isArray(value) ? 'array' : typeof value;
  const named = type === 'boolean' ? 'bool' : type === 'bigint' ? 'number' : type;
  return invalid(`${INVALID}: json: cannot unmarshal ${named} into ${into}`);
}

/** Offset of the first invalid character of unpadded base64url, by the rules of Go's decoder, which skips line ends. */
function illegalBase64At(text: string): number | undefined {
  const at = text.search(/[^A-Za-z0-9_\-\r\n]/);
  if (at !== -1) return at;
  // Go reports the start of an incomplete group of four.
  return text.replace(/[\r\n]/g, '').length % 4 === 1 ? text.length - 1 : undefined;
}

/** Go's path.Clean for a rooted path: Node's normalize keeps a trailing slash. */
function cleanPath(path: string): string {
  const normal = posix.normalize(path);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

function invalid(message: string): Error {
  return newBadRequest(`invalid continue token: ${message}`);
}
