import { TimeSlice } from '@apiserver/apimachinery/clock';
import { CappedErrors, TEXT_CAP } from '@apiserver/apimachinery/field';
import type { GroupedRoles } from './grouped-roles.js';
import type { PolicyRule } from './policy-objects.js';
import type { BindingMatch } from './resolution/binding-match.js';
import type { RuleVisitor } from './resolution/policy-index.js';
import type { RuleAttributes } from './rule-allows.js';

/** To read the clock costs more than to judge a common role: so much work is done first. */
const WORK_PER_LOOK = 64;
const WORK_OF_ROLE = 32;
/** Roles that are known not to match. Later ones are judged again. */
const MAX_SEEN = 1_000;

/**
 * Looks for the first binding whose role allows a request. A visit pauses after one slice of the event loop: everybody
 * in a namespace pays for the roles that its owner grants to all.
 */
export class AuthorizingVisitor implements RuleVisitor {
  allowedBy: BindingMatch | undefined;
  readonly #request: RuleAttributes;
  readonly #roles: GroupedRoles;
  #missing: MissingRoles | undefined;
  /** The last rules that did not match: many bindings of one role evaluate its rules once. */
  #lastSeen: readonly PolicyRule[] | undefined;
  #seen: Set<readonly PolicyRule[]> | undefined;
  #work = 0;
  /** Begins after the first look at the clock. */
  #slice: TimeSlice | undefined;
  #pausedAt: BindingMatch | undefined;

  constructor(request: RuleAttributes, roles: GroupedRoles) {
    this.#request = request;
    this.#roles = roles;
  }

  /** The distinct messages about roles that do not exist. */
  get errors(): readonly string[] {
    return this.#missing?.messages ?? [];
  }

  /** True if the visit has to go on in the next slice. */
  get isPaused(): boolean {
    return this.#pausedAt !== undefined;
  }

  /** Waits for the next slice of a paused visit. Returns the binding behind which the visit goes on. */
  async nextSlice(): Promise<BindingMatch | undefined> {
    const last = this.#pausedAt;
    this.#pausedAt = undefined;
    await this.#slice?.yield();
    return last;
  }

  rules(source: BindingMatch, rules: readonly PolicyRule[]): boolean {
    if (rules === this.#lastSeen || this.#seen?.has(rules)) return this.#goesOn(source, 1);
    if (this.#roles.allows(this.#request, rules)) {
      this.allowedBy = source;
      return false;
    }
    this.#note(rules);
    return this.#goesOn(source, WORK_OF_ROLE);
  }

  error(source: BindingMatch, error: () => Error): boolean {
    this.#missing ??= new MissingRoles();
    this.#missing.add(error);
    return this.#goesOn(source, 1);
  }

  #goesOn(source: BindingMatch, work: number): boolean {
    this.#work += work;
    if (this.#work < WORK_PER_LOOK) return true;
    this.#work = 0;
    if (this.#slice === undefined) this.#slice = new TimeSlice();
    else if (this.#slice.over) this.#pausedAt = source;
    return this.#pausedAt === undefined;
  }

  #note(rules: readonly PolicyRule[]): void {
    if (this.#lastSeen !== undefined) {
      this.#seen ??= new Set();
      if (this.#seen.size < MAX_SEEN) this.#seen.add(this.#lastSeen);
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
