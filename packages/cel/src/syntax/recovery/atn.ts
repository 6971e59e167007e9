/** Marks in a set of tokens that the end of the rule can be reached without a token. */
export const EPSILON = -2;

/**
 * The kinds of states that error recovery tells apart.
 *
 * `block` begins a choice, an option or the body of a loop; `loop-entry` and `loop-back` stand before and behind the
 * body of a loop.
 */
type StateKind = 'basic' | 'block' | 'loop-entry' | 'star-loop-back' | 'plus-loop-back' | 'stop';

/** A state of the augmented transition network of the grammar. */
export interface State {
  readonly id: number;
  readonly rule: string;
  readonly kind: StateKind;
  readonly transitions: Transition[];
  /** Cache of nextTokens. */
  next?: ReadonlySet<number>;
  /** Cache of firstTokens, by precedence. */
  first?: ReadonlySet<number>[];
}

type Transition =
  | { readonly kind: 'epsilon'; readonly to: State }
  | { readonly kind: 'tokens'; readonly to: State; readonly tokens: ReadonlySet<number> }
  | { readonly kind: 'precedence'; readonly to: State; readonly level: number }
  | { readonly kind: 'rule'; readonly to: State; readonly rule: string; readonly precedence: number };

/** An element of a rule, with the states that it is made of. */
export type Element =
  | { readonly kind: 'token'; readonly type: number; readonly state: State }
  | { readonly kind: 'set'; readonly tokens: ReadonlySet<number>; readonly state: State }
  | { readonly kind: 'call'; readonly rule: string; readonly precedence: number; readonly state: State }
  | { readonly kind: 'option'; readonly body: Sequence; readonly state: State }
  | { readonly kind: 'loop'; readonly loop: Loop }
  | { readonly kind: 'choice'; readonly choice: Choice };

/** Elements of a rule, one after another. */
export type Sequence = readonly Element[];

/** `( … )*` or `( … )+`. */
export interface Loop {
  readonly atLeastOnce: boolean;
  readonly body: Sequence;
  /** The state before the loop: its entry, or the block of its first iteration. */
  readonly entry: State;
  readonly back: State;
  /** True if one token decides whether the loop goes on. */
  readonly oneToken: boolean;
}

/** Alternatives; each may have a label, by which the tree names its node. */
export interface Choice {
  readonly state: State;
  readonly alternatives: readonly { readonly label?: string; readonly body: Sequence }[];
  readonly oneToken: boolean;
}

/** A rule: its body, its first and its last state. */
export interface Rule {
  readonly name: string;
  readonly body: Sequence;
  readonly start: State;
  readonly stop: State;
}

/** The network: its rules, and the states behind every call of a rule. */
export interface Network {
  readonly rules: ReadonlyMap<string, Rule>;
  readonly follows: ReadonlyMap<string, readonly State[]>;
}

/** A notation of an element, before the network is built. */
export type Notation =
  | { readonly kind: 'token'; readonly type: number }
  | { readonly kind: 'set'; readonly types: readonly number[] }
  | { readonly kind: 'call'; readonly rule: string; readonly precedence: number }
  | { readonly kind: 'precedence'; readonly level: number }
  | { readonly kind: 'option'; readonly body: readonly Notation[] }
  | {
      readonly kind: 'loop';
      readonly body: readonly Notation[];
      readonly atLeastOnce: boolean;
      readonly oneToken: boolean;
    }
  | {
      readonly kind: 'choice';
      readonly alternatives: readonly { readonly label?: string; readonly body: readonly Notation[] }[];
      readonly oneToken: boolean;
    };

/** Builds the network of a grammar. The states of `( … )?`, `( … )*`, `( … )+` are those of ANTLR. */
export function buildNetwork(grammar: Readonly<Record<string, readonly Notation[]>>): Network {
  const builder = new NetworkBuilder();
  const rules = new Map<string, Rule>();
  for (const [name, body] of Object.entries(grammar)) rules.set(name, builder.rule(name, body));
  return { rules, follows: builder.follows };
}

class NetworkBuilder {
  readonly follows = new Map<string, State[]>();
  #rule = '';
  #states = 0;

  rule(name: string, body: readonly Notation[]): Rule {
    this.#rule = name;
    const start = this.#state('basic');
    const stop = this.#state('stop');
    return { name, body: this.#sequence(body, start, stop), start, stop };
  }

  #state(kind: StateKind): State {
    return { id: this.#states++, rule: this.#rule, kind, transitions: [] };
  }

  /**
   * Builds the elements between two states. The last one leads to `to` itself: alternatives that end with the same call
   * then have the same place behind it, which decides how far a prediction looks.
   */
  #sequence(body: readonly Notation[], from: State, to: State): Sequence {
    const elements: Element[] = [];
    let state = from;
    for (const [index, notation] of body.entries()) {
      const end = index === body.length - 1 ? to : this.#state('basic');
      const element = this.#element(notation, state, end);
      if (element !== undefined) elements.push(element);
      state = end;
    }
    return elements;
  }

  #element(notation: Notation, from: State, to: State): Element | undefined {
    switch (notation.kind) {
      case 'token': {
        from.transitions.push({ kind: 'tokens', to, tokens: new Set([notation.type]) });
        return { kind: 'token', type: notation.type, state: from };
      }
      case 'set': {
        const tokens = new Set(notation.types);
        from.transitions.push({ kind: 'tokens', to, tokens });
        return { kind: 'set', tokens, state: from };
      }
      case 'call': {
        const { rule, precedence } = notation;
        from.transitions.push({ kind: 'rule', to, rule, precedence });
        this.follows.set(rule, [...(this.follows.get(rule) ?? []), to]);
        return { kind: 'call', rule, precedence, state: from };
      }
      case 'precedence': {
        from.transitions.push({ kind: 'precedence', to, level: notation.level });
        return undefined;
      }
      case 'option': {
        const block = this.#state('block');
        epsilon(from, block);
        const body = this.#branch(notation.body, block, to);
        epsilon(block, to);
        return { kind: 'option', body, state: block };
      }
      case 'loop':
        return {
          kind: 'loop',
          loop: notation.atLeastOnce ? this.#plus(notation, from, to) : this.#star(notation, from, to),
        };
      case 'choice': {
        const state = this.#state('block');
        epsilon(from, state);
        const alternatives = notation.alternatives.map(({ label, body }) => ({
          ...(label !== undefined && { label }),
          body: this.#branch(body, state, to),
        }));
        return { kind: 'choice', choice: { state, alternatives, oneToken: notation.oneToken } };
      }
    }
  }

  /** Builds a sequence behind a state of its own, which is the next alternative of `block`. */
  #branch(body: readonly Notation[], block: State, to: State): Sequence {
    const first = this.#state('basic');
    epsilon(block, first);
    return this.#sequence(body, first, to);
  }

  #star(notation: LoopNotation, from: State, to: State): Loop {
    const entry = this.#state('loop-entry');
    const back = this.#state('star-loop-back');
    epsilon(from, entry);
    const body = this.#branch(notation.body, entry, back);
    epsilon(entry, to);
    epsilon(back, entry);
    return { atLeastOnce: false, body, entry, back, oneToken: notation.oneToken };
  }

  #plus(notation: LoopNotation, from: State, to: State): Loop {
    const entry = this.#state('block');
    const back = this.#state('plus-loop-back');
    epsilon(from, entry);
    const body = this.#branch(notation.body, entry, back);
    epsilon(back, entry);
    epsilon(back, to);
    return { atLeastOnce: true, body, entry, back, oneToken: notation.oneToken };
  }
}

type LoopNotation = Extract<Notation, { readonly kind: 'loop' }>;

function epsilon(from: State, to: State): void {
  from.transitions.push({ kind: 'epsilon', to });
}

/** The tokens that can follow a state within its rule; with EPSILON if the rule can end before the next token. */
export function nextTokens(network: Network, state: State): ReadonlySet<number> {
  state.next ??= findNextTokens(network, state);
  return state.next;
}

function findNextTokens(network: Network, first: State): ReadonlySet<number> {
  const found = new Set<number>();
  const seen = new Set<State>();
  const pending = [first];
  for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
    if (seen.has(state)) continue;
    seen.add(state);
    if (state.kind === 'stop') found.add(EPSILON);
    for (const transition of state.transitions) {
      const tokens = transition.kind === 'tokens' ? transition.tokens : calledTokens(network, transition);
      for (const token of tokens) if (token !== EPSILON) found.add(token);
      if (transition.kind !== 'tokens' && (transition.kind !== 'rule' || tokens.has(EPSILON))) {
        pending.push(transition.to);
      }
    }
  }
  return found;
}

/** The tokens that a called rule can begin with; none for a transition without a call. */
function calledTokens(network: Network, transition: Transition): ReadonlySet<number> {
  const rule = transition.kind === 'rule' ? network.rules.get(transition.rule) : undefined;
  return rule === undefined ? NO_TOKENS : nextTokens(network, rule.start);
}

const NO_TOKENS: ReadonlySet<number> = new Set();

/** The tokens that a state accepts without a call, behind precedences that are not below one. */
export function firstTokens(state: State, precedence: number): ReadonlySet<number> {
  state.first ??= [];
  state.first[precedence] ??= findFirstTokens(state, precedence);
  return state.first[precedence];
}

function findFirstTokens(state: State, precedence: number): ReadonlySet<number> {
  const found = new Set<number>();
  const pending = [state];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const transition of at.transitions) {
      if (transition.kind === 'tokens') for (const token of transition.tokens) found.add(token);
      else if (transition.kind === 'epsilon' && transition.to.kind !== 'stop') pending.push(transition.to);
      else if (transition.kind === 'precedence' && transition.level >= precedence) pending.push(transition.to);
    }
  }
  return found;
}
