import {
  type FieldSelector,
  type LabelSelector,
  parseFieldSelector,
  parseLabelSelector,
} from '@apiserver/apimachinery';
import type { AuthorizationAttributes, Exchange, UserInfo } from '@apiserver/apiserver-contracts';
import { requestInfoOf } from './request-info-of.js';

/**
 * What an authorizer is asked about a request.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters.GetAuthorizerAttributes
 */
export function authorizerAttributes(exchange: Exchange, user: UserInfo): AuthorizationAttributes {
  const info = requestInfoOf(exchange);
  const { verb } = info;
  return {
    user,
    verb,
    readOnly: verb === 'get' || verb === 'list' || verb === 'watch',
    isResourceRequest: info.isResourceRequest,
    apiGroup: info.apiGroup,
    apiVersion: info.apiVersion,
    namespace: info.namespace,
    resource: info.resource,
    subresource: info.subresource,
    name: info.name,
    path: info.path,
    ...(info.fieldSelector === '' && info.labelSelector === '' ? undefined : selectors(info)),
  };
}

/** A selector that does not parse, or asks for nothing, restricts nothing: the handler says what is wrong with it. */
function selectors(info: { readonly fieldSelector: string; readonly labelSelector: string }): {
  fieldSelector?: FieldSelector;
  labelSelector?: LabelSelector;
} {
  const fieldSelector = parsed(info.fieldSelector, parseFieldSelector);
  const labelSelector = parsed(info.labelSelector, parseLabelSelector);
  return {
    ...(fieldSelector === undefined ? undefined : { fieldSelector }),
    ...(labelSelector === undefined ? undefined : { labelSelector }),
  };
}

function parsed<S>(text: string, parse: (text: string) => S): S | undefined {
  if (text === '') return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
