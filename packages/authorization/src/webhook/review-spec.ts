import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  ResourceAttributes,
  SubjectAccessReviewSpec,
} from '@apiserver/api/authorization/v1';
import type { LabelOperator } from '@apiserver/apimachinery/selectors';
import type { AuthorizationAttributes } from '@apiserver/apiserver-contracts';

/**
 * The question that another server is asked. Members that say nothing are left out.
 * Upstream: Authorize of k8s.io/apiserver/plugin/pkg/authorizer/webhook
 */
export function reviewSpecOf(attributes: AuthorizationAttributes): SubjectAccessReviewSpec {
  const { user, isResourceRequest, path, verb } = attributes;
  const extra = Object.entries(user.extra).map(([key, values]): [string, string[]] => [key, [...values]]);
  return {
    ...(isResourceRequest
      ? { resourceAttributes: resourceAttributesOf(attributes) }
      : { nonResourceAttributes: { path, verb } }),
    user: user.name,
    ...(user.groups.length === 0 ? {} : { groups: [...user.groups] }),
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
    ...(user.uid ? { uid: user.uid } : {}),
  };
}

function resourceAttributesOf(attributes: AuthorizationAttributes): ResourceAttributes {
  const { namespace, verb, apiGroup, apiVersion, resource, subresource, name } = attributes;
  const texts = { namespace, verb, group: apiGroup, version: apiVersion, resource, subresource, name };
  const fieldSelector = fieldSelectorOf(attributes);
  const labelSelector = labelSelectorOf(attributes);
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')),
    ...(fieldSelector && { fieldSelector }),
    ...(labelSelector && { labelSelector }),
  };
}

function fieldSelectorOf({ fieldSelector }: AuthorizationAttributes): FieldSelectorAttributes | undefined {
  const requirements = (fieldSelector?.requirements ?? []).map(({ field, operator, value }) => {
    return { key: field, operator: operator === '=' ? 'In' : 'NotIn', values: [value] };
  });
  return requirements.length === 0 ? undefined : { requirements };
}

/** Requirements without an operator here are left out: a broader question is never allowed more. */
function labelSelectorOf({ labelSelector }: AuthorizationAttributes): LabelSelectorAttributes | undefined {
  const requirements = (labelSelector?.requirements ?? []).flatMap(({ key, operator, values }) => {
    const name = OPERATORS[operator];
    return name === undefined ? [] : [{ key, operator: name, ...(values.length === 0 ? {} : { values: [...values] }) }];
  });
  return requirements.length === 0 ? undefined : { requirements };
}

const OPERATORS: Readonly<Partial<Record<LabelOperator, string>>> = {
  '=': 'In',
  '==': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
};
