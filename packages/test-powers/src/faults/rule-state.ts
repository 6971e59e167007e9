import { compileSelector, type SelectedRequest } from '../matching/request-selector.js';
import type { ActiveFault, FaultRule } from './fault-rule.js';
import { HeldRequests } from './held-requests.js';
import { randomShare } from './random-share.js';

/** A rule that is in force, with its counters. */
export class RuleState {
  readonly id: string;
  readonly rule: FaultRule;
  readonly held = new HeldRequests();
  readonly #selects: (request: SelectedRequest) => boolean;
  readonly #draw: () => boolean;
  #matched = 0;
  #struck = 0;

  /** `number` counts the rules of a server. */
  constructor(rule: FaultRule, number: number) {
    this.id = rule.id ?? `fault-${number}`;
    this.rule = rule;
    this.#selects = compileSelector(rule);
    const { rate = 1, seed = number } = rule;
    this.#draw = rate === 1 ? () => true : randomShare(rate, seed);
  }

  /** True if the rule strikes this request. Counts it. */
  strikes(request: SelectedRequest): boolean {
    return !this.#isSpent && this.#selects(request) && this.count();
  }

  /** Counts a match. True if it is a strike. */
  count(): boolean {
    const { after = 0 } = this.rule;
    if (this.#isSpent) return false;
    this.#matched++;
    if (this.#matched <= after || !this.#draw()) return false;
    this.#struck++;
    return true;
  }

  get #isSpent(): boolean {
    return this.#struck >= (this.rule.times ?? Number.POSITIVE_INFINITY);
  }

  /** The rule with its counters, as JSON. */
  describe(): ActiveFault {
    return { ...this.rule, id: this.id, matched: this.#matched, struck: this.#struck };
  }
}
