import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from '@apiserver/api/core/v1';
import {
  type FieldError,
  type FieldPath,
  fieldInvalid,
  fieldRequired,
  type PrintedAsJson,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { isStandardQuotaResource } from '../validation/resource-name.js';

/** The only resources that some scopes can count. */
const POD_COUNT = ['pods'];
const POD_COUNT_AND_COMPUTE = [
  ...POD_COUNT,
  ...['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'],
];
const CLAIMS = ['persistentvolumeclaims', 'requests.storage'];

/** The known scopes, with the resources that each can count. Upstream: pkg/apis/core/helper/helpers.go */
const SCOPES: ReadonlyMap<string, readonly string[]> = new Map([
  ['BestEffort', POD_COUNT],
  ['CrossNamespacePodAffinity', POD_COUNT_AND_COMPUTE],
  ['NotBestEffort', POD_COUNT_AND_COMPUTE],
  ['NotTerminating', POD_COUNT_AND_COMPUTE],
  ['PriorityClass', POD_COUNT_AND_COMPUTE],
  ['Terminating', POD_COUNT_AND_COMPUTE],
  ['VolumeAttributesClass', CLAIMS],
]);
/** Scopes without values. */
const WITHOUT_VALUES: ReadonlySet<string> = new Set([
  ...['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'CrossNamespacePodAffinity'],
]);
const CONFLICTS = [
  ['BestEffort', 'NotBestEffort'],
  ['NotTerminating', 'Terminating'],
];
const EXISTS_FAULT =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, " +
  'ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity';

/** Upstream: validateResourceQuotaScopes of pkg/apis/core/validation/validation.go */
export function validateScopes(spec: ResourceQuotaSpec, path: FieldPath): FieldError[] {
  const { scopes = [] } = spec;
  const printed = printedAsJson(scopes);
  const others = new OtherResources(spec);
  return [
    ...scopes.flatMap((scope) => [
      ...(SCOPES.has(scope) ? [] : [fieldInvalid(path, printed, 'unsupported scope')]),
      ...validateResourcesOfScope(others.of(scope), printed, path),
    ]),
    ...conflicts(scopes).map((fault) => fieldInvalid(path, printed, fault)),
  ];
}

/** Upstream: validateScopedResourceSelectorRequirement */
export function validateScopeSelector(spec: ResourceQuotaSpec, path: FieldPath): FieldError[] {
  const requirements = spec.scopeSelector?.matchExpressions ?? [];
  const place = path.child('matchExpressions');
  // Formatted as upstream's internal type, whose fields have Go's names.
  const printed = printedAsJson({ MatchExpressions: requirements.map(printedRequirement) });
  const others = new OtherResources(spec);
  return [
    ...requirements.flatMap((requirement) => {
      const { scopeName } = requirement;
      const scopePath = place.child('scopeName');
      return [
        ...(SCOPES.has(scopeName) ? [] : [fieldInvalid(scopePath, printedAsJson(scopeName), 'unsupported scope')]),
        ...validateResourcesOfScope(others.of(scopeName), printed, place),
        ...validateOperator(requirement, place),
      ];
    }),
    ...conflicts(requirements.map(({ scopeName }) => scopeName)).map((fault) =>
      fieldInvalid(place, printedAsJson(spec.scopes ?? null), fault),
    ),
  ];
}

function validateResourcesOfScope(others: number, printed: PrintedAsJson, path: FieldPath): FieldError[] {
  return Array.from({ length: others }, () => fieldInvalid(path, printed, 'unsupported scope applied to resource'));
}

/** Counts the standard resources of a quota that a scope cannot count. Each scope is counted once. */
class OtherResources {
  readonly #standard: readonly string[];
  readonly #counts = new Map<string, number>();

  constructor({ hard = {} }: ResourceQuotaSpec) {
    this.#standard = Object.keys(hard).filter(isStandardQuotaResource);
  }

  of(scope: string): number {
    const known = this.#counts.get(scope);
    if (known !== undefined) return known;
    const countable = SCOPES.get(scope);
    const count = countable === undefined ? 0 : this.#standard.filter((name) => !countable.includes(name)).length;
    this.#counts.set(scope, count);
    return count;
  }
}

function validateOperator(requirement: ScopedResourceSelectorRequirement, path: FieldPath): FieldError[] {
  const { scopeName, operator, values = [] } = requirement;
  const operatorPath = path.child('operator');
  const printed = printedAsJson(operator);
  const needsExists = WITHOUT_VALUES.has(scopeName) && operator !== 'Exists';
  const errors = needsExists ? [fieldInvalid(operatorPath, printed, EXISTS_FAULT)] : [];
  switch (operator) {
    case 'In':
    case 'NotIn': {
      const fault = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
      return values.length > 0 ? errors : [...errors, fieldRequired(path.child('values'), fault)];
    }
    case 'Exists':
    case 'DoesNotExist': {
      const fault = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
      return values.length === 0 ? errors : [...errors, fieldInvalid(path.child('values'), values, fault)];
    }
    default:
      return [...errors, fieldInvalid(operatorPath, printed, 'not a valid selector operator')];
  }
}

function conflicts(scopes: readonly string[]): string[] {
  return CONFLICTS.filter((pair) => pair.every((scope) => scopes.includes(scope))).map(() => 'conflicting scopes');
}

function printedRequirement({ scopeName, operator, values }: ScopedResourceSelectorRequirement): object {
  return { ScopeName: scopeName, Operator: operator, Values: values ?? null };
}
