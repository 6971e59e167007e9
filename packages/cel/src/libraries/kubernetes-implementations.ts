import type { CallCost, Implementations } from '../values/implementation.js';
import { AUTHORIZER_IMPLEMENTATIONS, CHECK, SELECT } from './authorizer/authorizer.js';
import { SEARCH, TRAVERSE_FIRST, TRAVERSE_FIRST_TWICE, TRAVERSE_RESULT_TWICE } from './call-costs.js';
import { COMPREHENSIONS_IMPLEMENTATIONS } from './comprehensions.js';
import { FORMAT_IMPLEMENTATIONS, VALIDATE } from './formats/format.js';
import { LISTS_IMPLEMENTATIONS, TREE } from './lists/lists.js';
import { SETS_IMPLEMENTATIONS } from './lists/sets.js';
import { CIDR_FUNCTION_COSTS, CIDR_IMPLEMENTATIONS } from './network/cidr.js';
import { IP_IMPLEMENTATIONS } from './network/ip.js';
import { QUANTITY_IMPLEMENTATIONS } from './quantity.js';
import { regexImplementations } from './regex.js';
import { SEMVER_IMPLEMENTATIONS } from './semver/semver.js';
import { STRINGS_IMPLEMENTATIONS } from './strings/strings.js';
import { URL_IMPLEMENTATIONS } from './url/url.js';

/**
 * The functions of the libraries of Kubernetes, by the id of their overload. Make them once: they keep compiled
 * patterns.
 */
export function libraryImplementations(): Implementations {
  return {
    ...AUTHORIZER_IMPLEMENTATIONS,
    ...CIDR_IMPLEMENTATIONS,
    ...COMPREHENSIONS_IMPLEMENTATIONS,
    ...FORMAT_IMPLEMENTATIONS,
    ...IP_IMPLEMENTATIONS,
    ...LISTS_IMPLEMENTATIONS,
    ...QUANTITY_IMPLEMENTATIONS,
    ...regexImplementations(),
    ...SEMVER_IMPLEMENTATIONS,
    ...SETS_IMPLEMENTATIONS,
    ...STRINGS_IMPLEMENTATIONS,
    ...URL_IMPLEMENTATIONS,
  };
}

/**
 * The costs of functions whose overload is open until the call, by their names. Other functions then cost 1: upstream
 * has costs for some by overload only.
 *
 * Upstream: CallCost in k8s.io/apiserver/pkg/cel/library/cost.go
 */
export const FUNCTION_COSTS: Readonly<Record<string, CallCost>> = {
  ...CIDR_FUNCTION_COSTS,
  check: CHECK,
  cidr: TRAVERSE_FIRST,
  fieldSelector: SELECT,
  find: SEARCH,
  findAll: SEARCH,
  indexOf: TREE,
  ip: TRAVERSE_FIRST,
  'ip.isCanonical': TRAVERSE_FIRST_TWICE,
  isCIDR: TRAVERSE_FIRST,
  isIP: TRAVERSE_FIRST,
  isQuantity: TRAVERSE_FIRST,
  isSemver: TRAVERSE_FIRST,
  isSorted: TREE,
  join: TRAVERSE_RESULT_TWICE,
  labelSelector: SELECT,
  lastIndexOf: TREE,
  lowerAscii: TRAVERSE_FIRST,
  max: TREE,
  min: TREE,
  quantity: TRAVERSE_FIRST,
  replace: TRAVERSE_FIRST_TWICE,
  semver: TRAVERSE_FIRST,
  split: TRAVERSE_FIRST_TWICE,
  substring: TRAVERSE_FIRST,
  sum: TREE,
  trim: TRAVERSE_FIRST,
  upperAscii: TRAVERSE_FIRST,
  url: TRAVERSE_FIRST,
  validate: VALIDATE,
};
