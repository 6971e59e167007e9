import type { LabelSelectorSpec } from '@apiserver/apimachinery';
import { newInternalError } from '@apiserver/apimachinery/errors';
import { type LabelSelector, labelSelectorAsSelector } from '@apiserver/apimachinery/selectors';
import type { ResourceRule } from './resource-rule.js';

/** The fields by which a webhook, a policy or a binding selects requests. */
export interface MatchFields {
  readonly namespaceSelector?: LabelSelectorSpec;
  readonly objectSelector?: LabelSelectorSpec;
  /** `Exact` or `Equivalent`. Default: `Exact`. */
  readonly matchPolicy?: string;
  readonly resourceRules: readonly ResourceRule[];
  /** Policies only. */
  readonly excludeResourceRules?: readonly ResourceRule[];
  /** True if no rule means every resource, as in policies. Default: false. */
  readonly selectsAllWithoutRules?: boolean;
}

/** Compiled match fields. Selectors are compiled on first use. */
export class MatchCriteria {
  readonly resourceRules: readonly ResourceRule[];
  readonly excludeResourceRules: readonly ResourceRule[];
  readonly isEquivalent: boolean;
  readonly selectsAllWithoutRules: boolean;
  readonly #fields: MatchFields;
  #namespaceSelector: LabelSelector | undefined;
  #objectSelector: LabelSelector | undefined;

  constructor(fields: MatchFields) {
    this.#fields = fields;
    this.resourceRules = fields.resourceRules;
    this.excludeResourceRules = fields.excludeResourceRules ?? [];
    this.isEquivalent = fields.matchPolicy === 'Equivalent';
    this.selectsAllWithoutRules = fields.selectsAllWithoutRules ?? false;
  }

  /** Throws a 500 for an invalid selector. */
  get namespaceSelector(): LabelSelector {
    this.#namespaceSelector ??= compile(this.#fields.namespaceSelector);
    return this.#namespaceSelector;
  }

  /** Throws a 500 for an invalid selector. */
  get objectSelector(): LabelSelector {
    this.#objectSelector ??= compile(this.#fields.objectSelector);
    return this.#objectSelector;
  }
}

function compile(spec: LabelSelectorSpec | undefined): LabelSelector {
  try {
    return labelSelectorAsSelector(spec);
  } catch (error) {
    throw newInternalError(error);
  }
}
