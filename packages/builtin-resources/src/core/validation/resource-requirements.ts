import type { ResourceClaim, ResourceRequirements } from '@apiserver/api/core/v1';
import {
  appendAll,
  type FieldError,
  type FieldPath,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotFound,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { isParseError } from '@apiserver/apimachinery/text';
import { Quantity } from '@apiserver/apimachinery/values';
import { amountOf } from '../resource-amounts.js';
import { validateDNS1123Label } from './dns-fields.js';
import { isHugePageResource, isOvercommitAllowed } from './resource-name.js';
import { validateResourceQuantity } from './resource-quantity.js';

/** Options for the validation of resource requirements. */
export interface ResourceRequirementRules {
  validateResourceName(name: string, path: FieldPath): FieldError[];
  /** Names in `spec.resourceClaims` of the pod. */
  readonly claimNames: ReadonlySet<string>;
  /** Accept huge pages that are no multiple of the page size; only for stored objects with such amounts. */
  readonly allowIndivisibleHugePages: boolean;
}

/** Upstream: validateResourceRequirements of pkg/apis/core/validation/validation.go */
export function validateResourceRequirements(
  { limits = {}, requests = {}, claims = [] }: ResourceRequirements,
  rules: ResourceRequirementRules,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  for (const [name, amount] of Object.entries(limits)) {
    errors.push(...validateAmount(name, amount, rules, path.child('limits').key(name)));
  }
  for (const [name, amount] of Object.entries(requests)) {
    errors.push(...validateAmount(name, amount, rules, path.child('requests').key(name)));
    errors.push(...validateRequestWithinLimit(name, Quantity.parse(amount), amountOf(limits, name), path));
  }
  if (names.some(isHugePageResource) && !names.some((name) => name === 'cpu' || name === 'memory')) {
    errors.push(fieldForbidden(path, 'HugePages require cpu or memory'));
  }
  appendAll(errors, validateClaims(claims, rules.claimNames, path.child('claims')));
  return errors;
}

function validateAmount(name: string, amount: string, rules: ResourceRequirementRules, path: FieldPath): FieldError[] {
  const errors = [...rules.validateResourceName(name, path), ...validateResourceQuantity(name, amount, path)];
  if (isHugePageResource(name) && !rules.allowIndivisibleHugePages && !isWholeNumberOfPages(name, amount)) {
    const text = Quantity.parse(amount).toString();
    errors.push(fieldInvalid(path, text, `${text} is not positive integer multiple of ${name}`));
  }
  return errors;
}

/**
 * Reports whether an amount of huge pages is a multiple of the page size.
 * Upstream: IsHugePageResourceValueDivisible
 */
export function isWholeNumberOfPages(name: string, amount: string): boolean {
  try {
    const page = Quantity.parse(name.slice('hugepages-'.length)).value();
    return page > 0n && Quantity.parse(amount).value() % page === 0n;
  } catch (error) {
    if (isParseError(error)) return false;
    throw error;
  }
}

function validateRequestWithinLimit(
  name: string,
  request: Quantity,
  limit: Quantity | undefined,
  path: FieldPath,
): FieldError[] {
  if (limit === undefined) {
    if (isOvercommitAllowed(name)) return [];
    return [fieldRequired(path.child('limits'), 'Limit must be set for non overcommitable resources')];
  }
  const order = request.compare(limit);
  if (order !== 0 && !isOvercommitAllowed(name)) {
    return [fieldInvalid(path.child('requests'), request.toString(), `must be equal to ${name} limit of ${limit}`)];
  }
  if (order <= 0) return [];
  const message = `must be less than or equal to ${name} limit of ${limit}`;
  return [fieldInvalid(path.child('requests'), request.toString(), message)];
}

/**
 * Validates the claims that a container uses: each claim, or each request of one, once.
 * Upstream: validateResourceClaimNames
 */
function validateClaims(claims: readonly ResourceClaim[], known: ReadonlySet<string>, path: FieldPath): FieldError[] {
  const used = new UsedClaims();
  let choices: string | undefined;
  return claims.flatMap((claim, i) => {
    if (!claim.name) return [fieldRequired(path.index(i), '')];
    const errors = used.add(claim, path.index(i));
    if (known.has(claim.name)) return errors;
    choices ??= choicesOf(known);
    const detail = `must be one of the names in pod.spec.resourceClaims${choices}`;
    return [...errors, { ...fieldNotFound(path.index(i), claim.name), detail }];
  });
}

function choicesOf(known: ReadonlySet<string>): string {
  const names = [...known].sort();
  return names.length === 0 ? ' which is empty' : `: ${names.join(', ')}`;
}

/** The claims, and requests of claims, that a container uses. */
class UsedClaims {
  /** Names, and names with a request. */
  readonly #keys = new Set<string>();
  /** The number of requests by the name of their claim. */
  readonly #requests = new Map<string, number>();

  /** Returns the faults: a claim overlaps with each of its requests. */
  add({ name, request }: ResourceClaim, path: FieldPath): FieldError[] {
    if (this.#keys.has(name)) return [fieldDuplicate(path, name)];
    const errors = request ? validateDNS1123Label(request, path.child('request')) : [];
    const key = request ? `${name}/${request}` : name;
    const requests = this.#requests.get(name) ?? 0;
    if (this.#keys.has(key)) return [...errors, fieldDuplicate(path, key)];
    this.#keys.add(key);
    if (request) this.#requests.set(name, requests + 1);
    else for (let count = 0; count < requests; count++) errors.push(fieldDuplicate(path, name));
    return errors;
  }
}
