import { newBadRequest } from '@apiserver/apimachinery/errors';
import { percentDecoded, quote } from '@apiserver/apimachinery/text';
import type { RequestHeaders, UserInfo } from '@apiserver/apiserver-contracts';

const EXTRA_PREFIX = 'impersonate-extra-';

/**
 * The impersonated user exactly as in these headers, of which the first name and UID count; undefined if there is none.
 * Throws a StatusError 400 if other headers lack a user.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/impersonation.processImpersonationHeaders
 */
export function wantedUserOf(headers: RequestHeaders, names: readonly string[]): UserInfo | undefined {
  const [name = ''] = headers.all('impersonate-user');
  const [uid = ''] = headers.all('impersonate-uid');
  const groups = headers.all('impersonate-group');
  const extra = wantedExtra(headers, names);
  if (name === '') {
    if (uid === '' && groups.length === 0 && extra.size === 0) return undefined;
    throw newBadRequest(`requested ${printed(uid, groups, extra)} without impersonating a user name`);
  }
  return { name, ...(uid === '' ? undefined : { uid }), groups, extra: Object.fromEntries(extra) };
}

/**
 * The names of the impersonation headers of a request; undefined for none. A single scan, because almost no request has
 * such a header.
 */
export function impersonationNames(headers: RequestHeaders): readonly string[] | undefined {
  let found: string[] | undefined;
  for (const name of headers.names()) {
    if (!name.startsWith('impersonate-')) continue;
    found ??= [];
    found.push(name);
  }
  return found;
}

/** Several header names may stand for one key. */
function wantedExtra(headers: RequestHeaders, names: readonly string[]): Map<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const name of names) {
    if (!name.startsWith(EXTRA_PREFIX)) continue;
    const key = unescapeKey(name.slice(EXTRA_PREFIX.length));
    const values = headers.all(name);
    const known = extra.get(key);
    if (known === undefined) extra.set(key, [...values]);
    else known.push(...values);
  }
  return extra;
}

/** Keys are percent-encoded, because a header's name excludes some characters. A malformed key is used as it is. */
function unescapeKey(encoded: string): string {
  return percentDecoded(encoded) ?? encoded;
}

/** Upstream's format of the impersonated user (`%#v` of a *user.DefaultInfo). */
function printed(uid: string, groups: readonly string[], extra: ReadonlyMap<string, readonly string[]>): string {
  const quoted = (values: readonly string[]) => `[]string{${values.map(quote).join(', ')}}`;
  const groupText = groups.length === 0 ? '[]string(nil)' : quoted(groups);
  // The default comparison: one of ours would be slow for a head full of keys.
  const keys = [...extra.keys()].sort();
  const entries = keys.map((key) => `${quote(key)}:${quoted(extra.get(key) ?? [])}`);
  const extraText = entries.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`;
  return `&user.DefaultInfo{Name:"", UID:${quote(uid)}, Groups:${groupText}, Extra:${extraText}}`;
}
