import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import type { DeclType } from '@apiserver/cel';
import { hasRules } from './has-rules.js';
import type { RuleEngine, RuleSet } from './rule-engine.js';

/**
 * A schema that has rules, itself or below. Everything is made when the first value needs it: most of a large
 * definition never sees one.
 *
 * Upstream: NewValidator of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go
 */
export class RuleNode {
  readonly props: JSONSchemaProps;
  readonly #engine: RuleEngine;
  readonly #type: DeclType | undefined;
  #ruleSet: RuleSet | undefined;
  #properties: ReadonlyMap<string, RuleNode> | undefined;
  #values: RuleNode | null | undefined;
  #items: RuleNode | null | undefined;

  private constructor(props: JSONSchemaProps, type: DeclType | undefined, engine: RuleEngine) {
    this.props = props;
    this.#type = type;
    this.#engine = engine;
  }

  /** The node of a schema whose root is a resource or not. */
  static root(props: JSONSchemaProps, isResource: boolean, engine: RuleEngine): RuleNode {
    return new RuleNode(props, engine.declTypeOf(props, isResource), engine);
  }

  get hasOwnRules(): boolean {
    return (this.props['x-kubernetes-validations'] ?? []).length > 0;
  }

  /** The node's own rules; undefined if expressions can't see its values. Yields after each rule that is compiled. */
  *compiled(): Generator<void, RuleSet | undefined> {
    if (this.#ruleSet === undefined && this.#type !== undefined) {
      this.#ruleSet = yield* this.#engine.compile(this.props, this.#type, { costs: false });
    }
    return this.#ruleSet;
  }

  /** The properties with rules. Properties that the type of their object lacks are left out. */
  get properties(): ReadonlyMap<string, RuleNode> {
    this.#properties ??= this.#propertyNodes();
    return this.#properties;
  }

  /** The schema of additional properties; null without rules. */
  get values(): RuleNode | null {
    if (this.#values === undefined) {
      const { additionalProperties: rest } = this.props;
      this.#values = typeof rest === 'object' && hasRules(rest) ? this.#element(rest) : null;
    }
    return this.#values;
  }

  /** The schema of elements; null without rules. */
  get items(): RuleNode | null {
    if (this.#items === undefined) {
      const { items } = this.props;
      this.#items = items !== undefined && !Array.isArray(items) && hasRules(items) ? this.#element(items) : null;
    }
    return this.#items;
  }

  #element(props: JSONSchemaProps): RuleNode {
    return new RuleNode(props, this.#type?.element, this.#engine);
  }

  #propertyNodes(): ReadonlyMap<string, RuleNode> {
    const nodes = new Map<string, RuleNode>();
    const own = this.#type;
    if (own === undefined) return nodes;
    for (const [name, props] of Object.entries(this.props.properties ?? {})) {
      if (!hasRules(props)) continue;
      const embedded = props['x-kubernetes-embedded-resource'] === true;
      const type = this.#engine.propertyTypeOf(own, name) ?? this.#engine.declTypeOf(props, embedded);
      if (type !== undefined) nodes.set(name, new RuleNode(props, type, this.#engine));
    }
    return nodes;
  }
}
