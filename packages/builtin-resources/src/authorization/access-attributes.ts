import type { ResourceAttributes, SelfSubjectAccessReviewSpec } from '@apiserver/api/authorization/v1';
import type { FieldSelectorRequirement, LabelSelectorRequirement } from '@apiserver/api/meta/v1';
import {
  everythingSelector,
  type FieldRequirement,
  type FieldSelector,
  fieldSelectorOf,
  type LabelOperator,
  type LabelRequirement,
  type LabelSelector,
  newLabelRequirement,
  parseFieldSelector,
  parseLabelSelector,
} from '@apiserver/apimachinery/selectors';
import {
  type AuthorizationAttributes,
  pathAttributes,
  resourceAttributes,
  type UserInfo,
} from '@apiserver/apiserver-contracts';

/** The attributes to authorize, and parse errors of the review. */
export interface AccessRequest {
  readonly attributes: AuthorizationAttributes;
  /** Upstream's messages about selectors. */
  readonly faults: readonly string[];
}

/**
 * The attributes of a valid review.
 * Upstream: AuthorizationAttributesFrom of pkg/registry/authorization/util/helpers.go
 */
export function accessRequest(user: UserInfo, spec: SelfSubjectAccessReviewSpec): AccessRequest {
  if (spec.resourceAttributes !== undefined) return resourceRequest(user, spec.resourceAttributes);
  const { verb = '', path = '' } = spec.nonResourceAttributes ?? {};
  return { attributes: pathAttributes(user, verb, path), faults: [] };
}

function resourceRequest(user: UserInfo, requested: ResourceAttributes): AccessRequest {
  const { verb = '', group = '', version, resource = '', subresource = '', namespace = '', name = '' } = requested;
  const fields = fieldSelectorOfReview(requested);
  const labels = labelSelectorOfReview(requested);
  const attributes = resourceAttributes(user, {
    verb,
    apiGroup: group,
    apiVersion: version || '*',
    resource,
    subresource,
    namespace,
    name,
    ...(fields.selector === undefined ? undefined : { fieldSelector: fields.selector }),
    ...(labels.selector === undefined ? undefined : { labelSelector: labels.selector }),
  });
  return { attributes, faults: [...faultOf('fieldSelector', fields), ...faultOf('labelSelector', labels)] };
}

/** The valid part of a selector: without a dropped requirement, it only requests more access. */
interface ReadSelector<S> {
  readonly selector?: S;
  readonly failed: boolean;
}

function faultOf(name: string, { selector, failed }: ReadSelector<unknown>): readonly string[] {
  if (!failed) return [];
  const extent = selector === undefined ? 'ignored' : 'partially ignored';
  return [`spec.resourceAttributes.${name} ${extent} due to parse error`];
}

function fieldSelectorOfReview({ fieldSelector }: ResourceAttributes): ReadSelector<FieldSelector> {
  const { rawSelector = '', requirements = [] } = fieldSelector ?? {};
  if (requirements.length === 0) return parsed(rawSelector, parseFieldSelector);
  const { read, failed } = readEach(requirements, fieldRequirement);
  return read.length === 0 ? { failed } : { selector: fieldSelectorOf(read), failed };
}

function labelSelectorOfReview({ labelSelector }: ResourceAttributes): ReadSelector<LabelSelector> {
  const { rawSelector = '', requirements = [] } = labelSelector ?? {};
  if (requirements.length === 0) return parsed(rawSelector, parseLabelSelector);
  const { read, failed } = readEach(requirements, labelRequirement);
  return read.length === 0 ? { failed } : { selector: everythingSelector.add(...read), failed };
}

/** A selector that selects everything is no restriction. */
function parsed<S extends { readonly empty: boolean }>(text: string, parse: (text: string) => S): ReadSelector<S> {
  if (text === '') return { failed: false };
  try {
    const selector = parse(text);
    return selector.empty ? { failed: false } : { selector, failed: false };
  } catch {
    return { failed: true };
  }
}

function readEach<I, O>(
  items: readonly I[],
  read: (item: I) => O | undefined,
): { read: readonly O[]; failed: boolean } {
  const good = items.map(read).filter((item): item is O => item !== undefined);
  return { read: good, failed: good.length < items.length };
}

function fieldRequirement({ key, operator, values = [] }: FieldSelectorRequirement): FieldRequirement | undefined {
  const [value, ...more] = values;
  if (value === undefined || more.length > 0 || (operator !== 'In' && operator !== 'NotIn')) return undefined;
  return { field: key, operator: operator === 'In' ? '=' : '!=', value };
}

const labelOperators: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

function labelRequirement({ key, operator, values = [] }: LabelSelectorRequirement): LabelRequirement | undefined {
  const known = labelOperators[operator];
  if (known === undefined) return undefined;
  try {
    return newLabelRequirement(key, known, values);
  } catch {
    return undefined;
  }
}
