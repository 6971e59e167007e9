import { newBadRequest } from '@apiserver/apimachinery';
import type { RequestHeaders, UserInfo } from '@apiserver/apiserver-contracts';

const extraPrefix = 'impersonate-extra-';

/**
 * Whom a request wants to be taken for, just as its headers say; undefined when it wants no such thing.
 * Throws a StatusError 400 when other things are wanted but no user.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/impersonation.processImpersonationHeaders
 */
export function wantedUserOf(headers: RequestHeaders): UserInfo | undefined {
  return mentionsImpersonation(headers) ? readWantedUser(headers) : undefined;
}

/** One look at the names: almost no request has such a header. */
function mentionsImpersonation(headers: RequestHeaders): boolean {
  for (const name of headers.names()) if (name.startsWith('impersonate-')) return true;
  return false;
}

function readWantedUser(headers: RequestHeaders): UserInfo | undefined {
  const name = headers.get('impersonate-user') ?? '';
  const uid = headers.get('impersonate-uid') ?? '';
  const groups = headers.all('impersonate-group');
  const extra = wantedExtra(headers);
  if (name === '') {
    if (uid === '' && groups.length === 0 && extra === undefined) return undefined;
    throw newBadRequest(`requested ${printed(uid, groups, extra ?? {})} without impersonating a user name`);
  }
  return { name, ...(uid === '' ? undefined : { uid }), groups, extra: extra ?? {} };
}

function wantedExtra(headers: RequestHeaders): Record<string, readonly string[]> | undefined {
  let extra: Record<string, readonly string[]> | undefined;
  for (const name of headers.names()) {
    if (!name.startsWith(extraPrefix)) continue;
    extra ??= Object.create(null) as Record<string, readonly string[]>;
    const key = unescapeKey(name.slice(extraPrefix.length));
    extra[key] = [...(extra[key] ?? []), ...headers.all(name)];
  }
  return extra;
}

/** Keys are percent-encoded, because not all characters may stand in a header's name; broken ones are taken as they are. */
function unescapeKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** The way upstream prints the user that was asked for (`%#v` of a *user.DefaultInfo). */
function printed(uid: string, groups: readonly string[], extra: Readonly<Record<string, readonly string[]>>): string {
  const quoted = (values: readonly string[]) => `[]string{${values.map((value) => JSON.stringify(value)).join(', ')}}`;
  const groupText = groups.length === 0 ? '[]string(nil)' : quoted(groups);
  const entries = Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1));
  const extraText =
    entries.length === 0
      ? 'map[string][]string(nil)'
      : `map[string][]string{${entries.map(([key, values]) => `${JSON.stringify(key)}:${quoted(values)}`).join(', ')}}`;
  return `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${groupText}, Extra:${extraText}}`;
}
