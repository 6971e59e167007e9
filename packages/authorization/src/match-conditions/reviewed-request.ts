import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  ResourceAttributes,
  SubjectAccessReviewSpec,
} from '@apiserver/api/authorization/v1';

/** The selectors that expressions see. */
export interface SeenSelectors {
  readonly usesFieldSelector: boolean;
  readonly usesLabelSelector: boolean;
}

/**
 * A review as expressions see it: with all texts, even empty ones.
 * Upstream: convertObjectToUnstructured in k8s.io/apiserver/pkg/authorization/cel/compile.go
 */
export function reviewedRequest(spec: SubjectAccessReviewSpec, seen: SeenSelectors): object {
  const { user = '', groups = [], uid = '', extra = {}, resourceAttributes, nonResourceAttributes } = spec;
  return {
    user,
    groups,
    uid,
    extra,
    ...(resourceAttributes && { resourceAttributes: seenAttributes(resourceAttributes, seen) }),
    ...(nonResourceAttributes && {
      nonResourceAttributes: { verb: nonResourceAttributes.verb ?? '', path: nonResourceAttributes.path ?? '' },
    }),
  };
}

function seenAttributes(attributes: ResourceAttributes, seen: SeenSelectors): object {
  const { namespace = '', verb = '', group = '', version = '' } = attributes;
  const { resource = '', subresource = '', name = '', fieldSelector, labelSelector } = attributes;
  return {
    namespace,
    verb,
    group,
    version,
    resource,
    subresource,
    name,
    ...(seen.usesFieldSelector ? seenSelector('fieldSelector', fieldSelector) : {}),
    ...(seen.usesLabelSelector ? seenSelector('labelSelector', labelSelector) : {}),
  };
}

/** A raw selector hides the requirements. */
function seenSelector(
  name: 'fieldSelector' | 'labelSelector',
  selector: FieldSelectorAttributes | LabelSelectorAttributes | undefined,
): object {
  const { rawSelector = '', requirements } = selector ?? {};
  if (rawSelector !== '') return { [name]: { rawSelector } };
  if (requirements === undefined || requirements.length === 0) return {};
  const seen = requirements.map(({ key, operator, values = [] }) => ({ key, operator, values }));
  return { [name]: { requirements: seen } };
}
