import { parseHttpTime } from '@apiserver/apimachinery/values';
import type { ApiRequest } from '@apiserver/apiserver-contracts';

/** The validators of a response, for the conditional fields of a request. */
export interface Validators {
  /** With quotes. */
  readonly etag: string;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
}

/** `unmodified`: a 304; `failed`: a 412; otherwise the Range field, "" if there is none that counts. */
export type Preconditions = 'unmodified' | 'failed' | { readonly range: string };

/**
 * Evaluates the conditional fields of a request, in the order of RFC 9110.
 *
 * Upstream: checkPreconditions in Go's net/http/fs.go
 */
export function checkPreconditions(request: ApiRequest, validators: Validators): Preconditions {
  const { headers, method } = request;
  const isRead = method === 'GET' || method === 'HEAD';
  const ifMatch = headers.get('if-match') ?? '';
  const matches =
    ifMatch === '' ? isUnmodifiedSince(request, validators) : hasTag(ifMatch, (tag) => tag === validators.etag);
  if (matches === false) return 'failed';
  const known = headers.get('if-none-match') ?? '';
  if (known !== '') {
    if (hasTag(known, (tag) => withoutWeakness(tag) === validators.etag)) return isRead ? 'unmodified' : 'failed';
  } else if (isRead && isKnownSince(request, validators)) return 'unmodified';
  const range = headers.get('range') ?? '';
  return { range: isRead && !isForThis(headers.get('if-range') ?? '', validators) ? '' : range };
}

function isUnmodifiedSince({ headers }: ApiRequest, { lastModified }: Validators): boolean | undefined {
  const since = parseHttpTime(headers.get('if-unmodified-since') ?? '');
  return since === undefined ? undefined : seconds(lastModified) <= seconds(since);
}

function isKnownSince({ headers }: ApiRequest, { lastModified }: Validators): boolean {
  const since = parseHttpTime(headers.get('if-modified-since') ?? '');
  return since !== undefined && seconds(lastModified) <= seconds(since);
}

/** Reports whether an If-Range field lets a range count. */
function isForThis(ifRange: string, { etag, lastModified }: Validators): boolean {
  if (ifRange === '') return true;
  const tag = leadingTag(ifRange);
  if (tag !== undefined) return tag === etag;
  const time = parseHttpTime(ifRange);
  return time !== undefined && seconds(time) === seconds(lastModified);
}

/** Reads a list of tags up to the first malformed one. */
function hasTag(list: string, isSame: (tag: string) => boolean): boolean {
  const rest = /[ \t\r\n,]*(\*|(?:W\/)?"[!#-~\u0080-\uffff]*")?/gy;
  for (let found = rest.exec(list); found?.[1] !== undefined; found = rest.exec(list)) {
    if (found[1] === '*' || isSame(found[1])) return true;
  }
  return false;
}

function leadingTag(text: string): string | undefined {
  return /^[ \t\r\n]*((?:W\/)?"[!#-~\u0080-\uffff]*")/.exec(text)?.[1];
}

function withoutWeakness(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
