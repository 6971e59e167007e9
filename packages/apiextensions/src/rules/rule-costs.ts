import { type FieldError, type FieldPath, fieldForbidden } from '@apiserver/apimachinery/field';
import { fixedDecimals } from '@apiserver/apimachinery/text';

/** Most that one expression may cost by its estimate, for all values that a definition allows. */
const RULE_LIMIT = 10_000_000;
/** Most that the expressions of one schema may cost together. */
const SCHEMA_LIMIT = 100_000_000;
/** Largest cost: upstream counts in 64 bits. */
const MAX_COST = 2 ** 64;
/** Number of the most expensive rules that are named. */
const MAX_NAMED = 4;

const ADVICE =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

/**
 * The product of costs or cardinalities.
 *
 * Upstream: multiplyWithOverflowGuard of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation
 */
export function costProduct(cost: number, cardinality: number): number {
  return Math.min(cost * cardinality, MAX_COST);
}

/** The error of an expression that costs too much; `what` names the cost. */
export function costErrors(what: string, cost: number, at: FieldPath): FieldError[] {
  return cost > RULE_LIMIT ? [fieldForbidden(at, costMessage(what, cost, RULE_LIMIT))] : [];
}

/**
 * The estimated costs of a schema's expressions.
 *
 * Upstream: TotalCost of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/cel_validation.go
 */
export class SchemaCost {
  #total = 0;
  #mostExpensive: readonly { readonly at: FieldPath; readonly cost: number }[] = [];

  add(at: FieldPath, cost: number): void {
    this.#total = Math.min(this.#total + cost, MAX_COST);
    if (cost < SCHEMA_LIMIT / 100) return;
    const expensive = [...this.#mostExpensive, { at, cost }].sort((a, b) => b.cost - a.cost);
    this.#mostExpensive = expensive.slice(0, MAX_NAMED);
  }

  /** Errors of a schema whose expressions cost too much together. */
  errors(at: FieldPath): FieldError[] {
    if (this.#total <= SCHEMA_LIMIT) return [];
    const contributed = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...this.#mostExpensive.map((rule) => fieldForbidden(rule.at, contributed)),
      fieldForbidden(at, costMessage(what, this.#total, SCHEMA_LIMIT)),
    ];
  }
}

function costMessage(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const times = factor > 100 ? 'more than 100' : fixedDecimals(factor, factor < 1.5 ? 6 : 1);
  return `${what} exceeds budget by factor of ${times}x ${ADVICE}`;
}
