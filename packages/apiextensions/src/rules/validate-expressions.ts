import type { JSONSchemaProps, ValidationRule } from '@apiserver/api/apiextensions/v1';
import { type FieldError, type FieldPath, fieldInternal, fieldInvalid } from '@apiserver/apimachinery/field';
import type { DeclType } from '@apiserver/cel';
import { hasRules } from './has-rules.js';
import { costErrors, costProduct, SchemaCost } from './rule-costs.js';
import type { CompiledRule, RuleEngine } from './rule-engine.js';

/** A structural schema whose rules are to be checked. */
export interface SchemaWithRules {
  readonly props: JSONSchemaProps;
  readonly at: FieldPath;
  /** Schemas with faults in themselves or below. Messages about their rules would not help. */
  readonly faulty: ReadonlySet<JSONSchemaProps>;
  /** True for a stored schema, which may have expressions that cost too much. */
  readonly isStored: boolean;
  /** Schemas whose defaults are invalid as values: no rules are checked about these. */
  readonly faultyDefaults: ReadonlySet<JSONSchemaProps>;
  /** False if a default has any fault: then the expressions are not looked at. */
  readonly areDefaultsSound: boolean;
}

/**
 * Finds faults of the expressions in a structural schema, at every depth. Yields after each rule.
 *
 * Upstream: ValidateCustomResourceDefinitionOpenAPISchema and CELSchemaContext of
 * k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation
 */
export function* validateExpressions(schema: SchemaWithRules, engine: RuleEngine): Generator<void, FieldError[]> {
  const { props, at } = schema;
  const validator = new ExpressionValidator(schema, engine);
  yield* validator.visit({ props, at, typed: false, uncorrelatable: undefined, isRoot: true, cardinality: 1 });
  return [...validator.errors, ...validator.cost.errors(at)];
}

/** A schema on the way through a definition. */
interface Place {
  readonly props: JSONSchemaProps;
  readonly at: FieldPath;
  readonly isRoot: boolean;
  /** The schema whose elements have no counterparts in the old object; undefined if all before have. */
  readonly uncorrelatable: FieldPath | undefined;
  /** The type that the type around it has for the schema; undefined without one. */
  readonly inherited?: DeclType | undefined;
  /** True for elements of a type that has none, such as that of x-kubernetes-int-or-string. */
  readonly isForeign?: boolean;
  /** True if a schema around it has rules: these made its type. */
  readonly typed: boolean;
  /** Maximum number of values of the schema in an object; undefined without a bound. */
  readonly cardinality: number | undefined;
}

class ExpressionValidator {
  readonly errors: FieldError[] = [];
  readonly cost = new SchemaCost();
  readonly #schema: SchemaWithRules;
  readonly #engine: RuleEngine;

  constructor(schema: SchemaWithRules, engine: RuleEngine) {
    this.#schema = schema;
    this.#engine = engine;
  }

  /** Visits a schema after those in it. */
  *visit(place: Place): Generator<void, void> {
    const { props, at, uncorrelatable } = place;
    if (!hasRules(props)) return;
    const { items, properties = {}, additionalProperties: rest } = props;
    const hasOwn = (props['x-kubernetes-validations'] ?? []).length > 0;
    const typed = place.typed || hasOwn;
    const type = typed ? this.#typeOf(place) : undefined;
    const inside = { isRoot: false, typed, uncorrelatable, cardinality: cardinalityInside(place) };
    const elementType = { inherited: type?.element, isForeign: type !== undefined && type.element === undefined };
    if (typeof rest === 'object') {
      const path = at.child('additionalProperties');
      yield* this.visit({ ...inside, ...elementType, props: rest, at: path });
    }
    for (const [name, property] of Object.entries(properties)) {
      yield* this.visit({
        ...inside,
        props: property,
        at: at.child('properties').key(name),
        uncorrelatable: uncorrelatable ?? (isCorrelatableMap(props) ? undefined : at),
        inherited: type && this.#engine.propertyTypeOf(type, name),
      });
    }
    if (items !== undefined && !Array.isArray(items)) {
      const lost = props['x-kubernetes-list-type'] === 'map' ? undefined : at;
      const element = { ...elementType, props: items, at: at.child('items') };
      yield* this.visit({ ...inside, ...element, uncorrelatable: uncorrelatable ?? lost });
    }
    if (hasOwn && !this.#schema.faulty.has(props)) yield* this.#own(place, type);
  }

  #typeOf({ props, inherited, isRoot }: Place): DeclType | undefined {
    return inherited ?? this.#engine.declTypeOf(props, isRoot || props['x-kubernetes-embedded-resource'] === true);
  }

  *#own(place: Place, type: DeclType | undefined): Generator<void, void> {
    const { props, at, uncorrelatable, cardinality, isForeign = false } = place;
    const path = at.child('x-kubernetes-validations');
    if (type === undefined || isForeign) {
      this.errors.push(fieldInternal(path, new Error(isForeign ? NO_ELEMENT_TYPE : NO_TYPE)));
      return;
    }
    const { rules, maxCardinality } = yield* this.#engine.compile(props, type, { costs: true });
    for (const [index, compiled] of rules.entries()) {
      const rulePath = path.index(index);
      const cost = costProduct(compiled.maxCost, cardinality ?? maxCardinality);
      this.errors.push(...this.#costs(compiled, cost, rulePath), ...ruleErrors(compiled, rulePath, uncorrelatable));
      yield;
    }
  }

  #costs({ message, messageMaxCost }: CompiledRule, cost: number, at: FieldPath): FieldError[] {
    this.cost.add(at.child('rule'), cost);
    if (message !== undefined) this.cost.add(at.child('messageExpression'), messageMaxCost);
    if (this.#schema.isStored) return [];
    return [
      ...costErrors('estimated rule cost', cost, at.child('rule')),
      ...costErrors('estimated messageExpression cost', messageMaxCost, at.child('messageExpression')),
    ];
  }
}

/** Upstream: childContext of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/cel_validation.go */
function cardinalityInside({ props, cardinality }: Place): number | undefined {
  const { type, additionalProperties, maxProperties, maxItems } = props;
  const isMap = type === 'object' && additionalProperties !== undefined;
  const most = isMap ? maxProperties : type === 'array' ? maxItems : 1;
  if (cardinality === undefined || most === undefined) return undefined;
  return costProduct(cardinality, Math.max(0, Number(most)));
}

const NO_TYPE =
  'internal error: failed to construct type information for x-kubernetes-validations rules: ' +
  'unable to convert structural schema to CEL declarations';

const NO_ELEMENT_TYPE = 'failed to convert to declType for CEL validation rules';

function ruleErrors(
  { rule, error, messageError, usesOldSelf }: CompiledRule,
  at: FieldPath,
  uncorrelatable: FieldPath | undefined,
): FieldError[] {
  const errors: FieldError[] = [];
  if (error !== undefined) errors.push(fieldInvalid(at.child('rule'), internalRule(rule), error));
  if (messageError !== undefined) {
    errors.push(fieldInvalid(at.child('messageExpression'), internalRule(rule), messageError));
  }
  if (usesOldSelf && uncorrelatable !== undefined) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
    errors.push(fieldInvalid(at.child('rule'), rule.rule, detail));
  }
  if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
    const detail = 'may not be set if oldSelf is not used in rule';
    errors.push(fieldInvalid(at.child('optionalOldSelf'), rule.optionalOldSelf, detail));
  }
  return errors;
}

/** A rule in upstream's internal form, as its messages show it. */
function internalRule({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: ValidationRule) {
  return {
    Rule: rule,
    Message: message ?? '',
    MessageExpression: messageExpression ?? '',
    Reason: reason ?? null,
    FieldPath: fieldPath ?? '',
    OptionalOldSelf: optionalOldSelf ?? null,
  };
}

/** Upstream: MapIsCorrelatable of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go */
function isCorrelatableMap({ 'x-kubernetes-map-type': type }: JSONSchemaProps): boolean {
  return type === undefined || type === 'granular' || type === 'atomic';
}
