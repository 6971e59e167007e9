import { ParseError } from '../text/parse-error.js';
import { escapeFieldValue, unescapeFieldValue } from './field-value-escape.js';

/** The selectable fields of an object, each with its text value. */
export type Fields = Readonly<Record<string, string>>;

/** One condition of a field selector. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/**
 * Rewrites a field's name and value, for example between API versions; throws errors for the client. An empty field and
 * an empty value drop the requirement.
 */
type FieldTransform = (field: string, value: string) => { readonly field: string; readonly value: string };

/**
 * A predicate on an object's selectable fields: the conjunction of its requirements. Immutable.
 *
 * Upstream: k8s.io/apimachinery/pkg/fields/selector.go
 */
export interface FieldSelector {
  /** Sorted by their text if the selector was parsed. */
  readonly requirements: readonly FieldRequirement[];
  /** True if every object is selected. */
  readonly empty: boolean;
  /** A field that is not in `fields` counts as empty. */
  matches(fields: Fields): boolean;
  /** The selector with every requirement rewritten. Throws what `transform` throws. */
  transform(transform: FieldTransform): FieldSelector;
  /** The one value the field must have, if there is an equality on it. */
  requiresExactMatch(field: string): string | undefined;
  /** The text form that parses back: requirements joined by commas, values escaped. */
  toString(): string;
}

/** The requirements on one field together. */
interface FieldRule {
  /** The values that it must equal: one, or no value meets the requirements. */
  readonly required: Set<string>;
  readonly excluded: Set<string>;
}

/** Requirements by field, so that a selector of any length costs as much as a kind has selectable fields. */
class FieldIndex {
  readonly #rules = new Map<string, FieldRule>();

  constructor(requirements: readonly FieldRequirement[]) {
    for (const { field, operator, value } of requirements) {
      const rule = this.#rules.get(field) ?? { required: new Set(), excluded: new Set() };
      this.#rules.set(field, rule);
      (operator === '=' ? rule.required : rule.excluded).add(value);
    }
  }

  /** A field that is not in `fields` counts as empty. */
  matches(fields: Fields): boolean {
    for (const [field, { required, excluded }] of this.#rules) {
      const value = Object.hasOwn(fields, field) ? (fields[field] ?? '') : '';
      if (excluded.has(value) || required.size > 1 || (required.size === 1 && !required.has(value))) return false;
    }
    return true;
  }
}

/** Requirements above which matching uses an index. */
const MAX_UNINDEXED = 32;

class RequirementsFieldSelector implements FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  readonly empty: boolean;
  #index: FieldIndex | undefined;

  constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
    this.empty = requirements.length === 0;
  }

  matches(fields: Fields): boolean {
    if (this.requirements.length > MAX_UNINDEXED) {
      this.#index ??= new FieldIndex(this.requirements);
      return this.#index.matches(fields);
    }
    for (const { field, operator, value } of this.requirements) {
      const actual = Object.hasOwn(fields, field) ? (fields[field] ?? '') : '';
      if ((actual === value) !== (operator === '=')) return false;
    }
    return true;
  }

  transform(transform: FieldTransform): FieldSelector {
    const rewritten = this.requirements.map(({ field, operator, value }) => ({ operator, ...transform(field, value) }));
    return fieldSelectorOf(rewritten.filter(isOfSomething));
  }

  requiresExactMatch(field: string): string | undefined {
    return this.requirements.find((requirement) => requirement.field === field && requirement.operator === '=')?.value;
  }

  toString(): string {
    return this.requirements.map(({ field, operator, value }) => field + operator + escapeFieldValue(value)).join(',');
  }
}

function isOfSomething({ field, value }: FieldRequirement): boolean {
  return field !== '' || value !== '';
}

/** Selects every object. */
export const everythingFieldSelector: FieldSelector = new RequirementsFieldSelector([]);

/** The selector of all these requirements; everything, if there are none. */
export function fieldSelectorOf(requirements: readonly FieldRequirement[]): FieldSelector {
  return requirements.length === 0 ? everythingFieldSelector : new RequirementsFieldSelector(requirements);
}

/**
 * Parses the text form of a field selector: `metadata.name=a,spec.nodeName!=b`. The empty text selects everything, and
 * so does a term with neither field nor value. Throws a ParseError with upstream's text. The resource checks that the
 * fields exist.
 */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = splitTerms(text).filter((term) => term !== '');
  const requirements = terms.sort().map((term) => parseTerm(term, text));
  return fieldSelectorOf(requirements.filter(isOfSomething));
}

/** Splits at the commas that are not escaped. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') {
      i++;
    } else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function parseTerm(term: string, selector: string): FieldRequirement {
  const match = /!=|==|=/.exec(term);
  if (match === null) throw new ParseError(`invalid selector: '${selector}'; can't understand '${term}'`);
  const field = term.slice(0, match.index);
  const value = unescapeFieldValue(term.slice(match.index + match[0].length));
  return { field, operator: match[0] === '!=' ? '!=' : '=', value };
}
