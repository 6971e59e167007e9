import { newResourceExpired, StatusError } from '@apiserver/apimachinery/errors';
import { isMembers } from '@apiserver/apimachinery/json';
import type { Exchange } from '@apiserver/apiserver-contracts';
import { EXPIRED_CONTINUE, EXPIRED_LIST } from '@apiserver/registry-store';

/** True for requests that need an earlier version: pages, lists at an exact version, watches from a version. */
export function needsOldVersion(verb: string, query: URLSearchParams): boolean {
  const version = query.get('resourceVersion') ?? '';
  const isPast = version !== '' && version !== '0';
  if (verb === 'watch') return isPast;
  if (verb !== 'list') return false;
  if ((query.get('continue') ?? '') !== '') return true;
  const match = query.get('resourceVersionMatch') ?? '';
  return isPast && (match === 'Exact' || (match === '' && Number(query.get('limit') ?? 0) > 0));
}

/** The 410 of a list. That of a page has a token to go on with at the newest version. */
export function expiredList({ request: { query } }: Exchange): StatusError {
  const token = query.get('continue') ?? '';
  if (token === '') return newResourceExpired(EXPIRED_LIST);
  const { status } = newResourceExpired(EXPIRED_CONTINUE);
  return new StatusError({ ...status, metadata: { continue: inconsistentToken(token) } });
}

/** A token for the same place without its version. One that cannot be read stays. */
function inconsistentToken(token: string): string {
  try {
    const fields: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (!isMembers(fields)) return token;
    return Buffer.from(JSON.stringify({ ...fields, rv: -1 })).toString('base64url');
  } catch {
    return token;
  }
}
