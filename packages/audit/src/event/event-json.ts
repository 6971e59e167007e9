import type { Status } from '@apiserver/apimachinery';
import { compactJson } from '@apiserver/apimachinery/text';
import type { UserInfo } from '@apiserver/apiserver-contracts';
import type { AuditedStatus, ObjectReference } from './audit-event.js';

/** Characters that Go's JSON escapes or that are not ASCII. */
const UNUSUAL = /[^ !#-%'-;=?-[\]-~]/;

/** A text in Go's JSON. Most texts of an event need no escapes. */
export function jsonText(text: string): string {
  return UNUSUAL.test(text) ? compactJson(text.toWellFormed()) : `"${text}"`;
}

/** A member with a comma before it; "" for an empty text. */
function member(name: string, text: string): string {
  return text === '' ? '' : `,"${name}":${jsonText(text)}`;
}

/** An object of members that begin with a comma. */
function object(members: string): string {
  return `{${members.slice(1)}}`;
}

/** A list of texts. */
export function jsonTexts(texts: readonly string[]): string {
  return `[${texts.map(jsonText).join(',')}]`;
}

/** authentication.k8s.io/v1 UserInfo. */
export function userJson(user: UserInfo | undefined): string {
  if (user === undefined) return '{}';
  const known = users.get(user);
  if (known !== undefined) return known;
  const { name, uid = '', groups, extra } = user;
  const keys = Object.keys(extra).sort();
  const json = object(
    member('username', name) +
      member('uid', uid) +
      (groups.length === 0 ? '' : `,"groups":${jsonTexts(groups)}`) +
      (keys.length === 0 ? '' : `,"extra":${object(keys.map((key) => extraMember(key, extra[key] ?? [])).join(''))}`),
  );
  users.set(user, json);
  return json;
}

/** Requests of a connection share the user. */
const users = new WeakMap<UserInfo, string>();

function extraMember(key: string, values: readonly string[]): string {
  return `,${jsonText(key)}:${jsonTexts(values)}`;
}

/** audit.k8s.io/v1 ObjectReference. */
export function objectRefJson(ref: Readonly<ObjectReference>): string {
  return object(
    member('resource', ref.resource) +
      member('namespace', ref.namespace) +
      member('name', ref.name) +
      member('uid', ref.uid) +
      member('apiGroup', ref.apiGroup) +
      member('apiVersion', ref.apiVersion) +
      member('resourceVersion', ref.resourceVersion) +
      member('subresource', ref.subresource),
  );
}

/** meta/v1 Status without its kind. */
export function statusJson({ status, message = '', reason = '', details, code = 0 }: AuditedStatus): string {
  const shownDetails = details === undefined ? '' : `,"details":${detailsJson(details)}`;
  return `{"metadata":{}${member('status', status ?? '')}${member('message', message)}${member('reason', reason)}${shownDetails}${code === 0 ? '' : `,"code":${code}`}}`;
}

function detailsJson({ name, group, kind, uid, causes, retryAfterSeconds }: NonNullable<Status['details']>): string {
  return compactJson({
    name: name || undefined,
    group: group || undefined,
    kind: kind || undefined,
    uid: uid || undefined,
    causes: causes?.map(({ reason, message, field }) => ({
      reason: reason || undefined,
      message: message || undefined,
      field: field || undefined,
    })),
    retryAfterSeconds: retryAfterSeconds || undefined,
  });
}

/** A map with sorted keys. */
export function annotationsJson(annotations: Iterable<readonly [string, string]>): string {
  const sorted = [...annotations];
  if (sorted.length > 1) sorted.sort(([a], [b]) => (a < b ? -1 : 1));
  let members = '';
  for (const [key, value] of sorted) members += `,${jsonText(key)}:${jsonText(value)}`;
  return object(members);
}
