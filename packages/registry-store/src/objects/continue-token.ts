import { posix } from 'node:path';
import { isDecodeError, newBadRequest, parseJsonValue } from '@apiserver/apimachinery';

/** Where a list goes on. */
export interface ContinueToken {
  /** First key of the rest, relative to the listed prefix. */
  readonly startKey: string;
  /** The revision of the first page; -1: the newest, at the price of consistency. */
  readonly revision: number;
}

const VERSION = 'meta.k8s.io/v1';
const INVALID = 'continue key is not valid';

/** Upstream: k8s.io/apiserver/pkg/storage/continue.go; the token's content is a public format. */
export function encodeContinueToken(token: ContinueToken): string {
  const json = JSON.stringify({ v: VERSION, rv: token.revision, start: token.startKey });
  return Buffer.from(json).toString('base64url');
}

/** Throws 400 with upstream's text for what is no token. */
export function decodeContinueToken(text: string): ContinueToken {
  const { v = '', rv = 0, start = '' } = parseToken(text);
  if (v !== VERSION) throw invalid(`${INVALID}: server does not recognize this encoded version ${v}`);
  if (rv === 0) throw invalid(`${INVALID}: incorrect encoded start resourceVersion (version ${VERSION})`);
  if (start === '') throw invalid(`${INVALID}: encoded start key empty (version ${VERSION})`);
  // A path that climbs out of the listed prefix would show what the client may not list.
  const rooted = start.startsWith('/') ? start : `/${start}`;
  if (cleanPath(rooted) !== rooted) throw invalid(`${INVALID}: ${start}`);
  return { startKey: rooted.slice(1), revision: rv };
}

function parseToken(text: string): { v?: string; rv?: number; start?: string } {
  const illegal = illegalBase64At(text);
  if (illegal !== undefined) throw invalid(`${INVALID}: illegal base64 data at input byte ${illegal}`);
  try {
    return tokenFields(parseJsonValue(Buffer.from(text, 'base64url')));
  } catch (error) {
    if (isDecodeError(error)) throw invalid(`${INVALID}: ${error.message}`);
    throw error;
  }
}

function tokenFields(value: unknown): { v?: string; rv?: number; start?: string } {
  const fields: { v?: string; rv?: number; start?: string } = {};
  if (typeof value !== 'object' || value === null) return fields;
  if ('v' in value && typeof value.v === 'string') fields.v = value.v;
  if ('rv' in value && Number.isSafeInteger(value.rv)) fields.rv = value.rv as number;
  if ('start' in value && typeof value.start === 'string') fields.start = value.start;
  return fields;
}

/** Unpadded base64url, as Go's decoder takes it; it skips line ends. */
function illegalBase64At(text: string): number | undefined {
  const at = text.search(/[^A-Za-z0-9_\-\r\n]/);
  if (at !== -1) return at;
  return text.replace(/[\r\n]/g, '').length % 4 === 1 ? text.length : undefined;
}

/** Go's path.Clean for a rooted path: node's normalize keeps a slash at the end. */
function cleanPath(path: string): string {
  const normal = posix.normalize(path);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

function invalid(message: string): Error {
  return newBadRequest(`invalid continue token: ${message}`);
}
