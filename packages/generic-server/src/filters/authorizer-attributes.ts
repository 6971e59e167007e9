import {
  type FieldSelector,
  type LabelSelector,
  parseFieldSelector,
  parseLabelSelector,
} from '@apiserver/apimachinery/selectors';
import {
  type AuthorizationAttributes,
  type Exchange,
  requestAttributes,
  type UserInfo,
} from '@apiserver/apiserver-contracts';
import type { AuditAttributes } from '@apiserver/audit';
import { requestInfoOf } from '../request/request-info-of.js';

/**
 * The attributes of a request for the authorizer, and for the audit policy also without a user.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters.GetAuthorizerAttributes
 */
export function authorizerAttributes(exchange: Exchange, user: UserInfo): AuthorizationAttributes;
export function authorizerAttributes(exchange: Exchange, user: UserInfo | undefined): AuditAttributes;
export function authorizerAttributes(exchange: Exchange, user: UserInfo | undefined): AuditAttributes {
  const info = requestInfoOf(exchange);
  const attributes = requestAttributes(info, user);
  return info.fieldSelector === '' && info.labelSelector === '' ? attributes : withSelectors(attributes, info);
}

/**
 * Adds the selectors, which are parsed on demand: few authorizers use them, and an unauthenticated client may send a
 * megabyte of them. An invalid or empty one restricts nothing: the handler reports its error.
 */
function withSelectors(
  attributes: AuditAttributes,
  info: { readonly fieldSelector: string; readonly labelSelector: string },
): AuditAttributes {
  let fieldSelector: FieldSelector | undefined;
  let labelSelector: LabelSelector | undefined;
  return Object.defineProperties(attributes, {
    fieldSelector: { enumerable: true, get: () => (fieldSelector ??= parsed(info.fieldSelector, parseFieldSelector)) },
    labelSelector: { enumerable: true, get: () => (labelSelector ??= parsed(info.labelSelector, parseLabelSelector)) },
  });
}

function parsed<S>(text: string, parse: (text: string) => S): S | undefined {
  if (text === '') return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
