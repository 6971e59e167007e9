import { TimeSlice } from '@apiserver/apimachinery/clock';
import { CappedErrors, TEXT_CAP } from '@apiserver/apimachinery/field';
import type { PolicyRule } from './policy-objects.js';
import type { BindingMatch } from './resolution/binding-match.js';
import type { RuleVisitor } from './resolution/policy-index.js';
import { type RuleAttributes, ruleAllows } from './rule-allows.js';

/** Number of roles after which the clock is read. To read it costs more than to judge a common role. */
const ROLES_PER_LOOK = 2;

/**
 * Looks for the first binding whose role allows a request. Roles beyond one slice of the event loop are only noted:
 * `goOn` judges them. Everybody in a namespace pays for the roles that its owner grants to all.
 */
export class AuthorizingVisitor implements RuleVisitor {
  allowedBy: BindingMatch | undefined;
  readonly #request: RuleAttributes;
  #judged = 0;
  /** Begins after the first few roles. */
  #slice: TimeSlice | undefined;
  #missing: MissingRoles | undefined;
  /** The last rules that did not match: many bindings of one role evaluate its rules once. */
  #lastSeen: readonly PolicyRule[] | undefined;
  #seen: Set<readonly PolicyRule[]> | undefined;
  #later: (readonly [source: BindingMatch, rules: readonly PolicyRule[]])[] | undefined;

  constructor(request: RuleAttributes) {
    this.#request = request;
  }

  /** The distinct messages about roles that do not exist. */
  get errors(): readonly string[] {
    return this.#missing?.messages ?? [];
  }

  /** True if `goOn` has to find the decision. */
  get isUnfinished(): boolean {
    return this.#later !== undefined;
  }

  rules(source: BindingMatch, rules: readonly PolicyRule[]): boolean {
    if (rules === this.#lastSeen || this.#seen?.has(rules)) return true;
    if (this.#later !== undefined) this.#later.push([source, rules]);
    else if (this.#allows(source, rules)) return false;
    else if (this.#isSliceOver()) this.#later = [];
    this.#note(rules);
    return true;
  }

  error(error: () => Error): void {
    this.#missing ??= new MissingRoles();
    this.#missing.add(error);
  }

  /** Judges the other roles, with turns of the event loop between slices. */
  async goOn(): Promise<void> {
    this.#slice ??= new TimeSlice();
    for (const [source, rules] of this.#later ?? []) {
      if (this.#slice.over) await this.#slice.yield();
      if (this.#allows(source, rules)) return;
    }
  }

  #isSliceOver(): boolean {
    if (++this.#judged % ROLES_PER_LOOK !== 0) return false;
    if (this.#slice !== undefined) return this.#slice.over;
    this.#slice = new TimeSlice();
    return false;
  }

  #allows(source: BindingMatch, rules: readonly PolicyRule[]): boolean {
    for (const rule of rules) {
      if (!ruleAllows(this.#request, rule)) continue;
      this.allowedBy = source;
      return true;
    }
    return false;
  }

  #note(rules: readonly PolicyRule[]): void {
    if (this.#lastSeen !== undefined) {
      this.#seen ??= new Set();
      this.#seen.add(this.#lastSeen);
    }
    this.#lastSeen = rules;
  }
}

/** Distinct messages, as long as a response has room for them. */
class MissingRoles {
  readonly #distinct = new Set<string>();
  readonly #capped = new CappedErrors(TEXT_CAP);

  get messages(): readonly string[] {
    return this.#capped.list();
  }

  add(error: () => Error): void {
    if (this.#capped.isFull) {
      this.#capped.skip();
      return;
    }
    const { message } = error();
    if (this.#distinct.has(message)) return;
    this.#distinct.add(message);
    this.#capped.add(message);
  }
}
