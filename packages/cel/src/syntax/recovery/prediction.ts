import { Token } from '../token.js';
import type { Network, State } from './atn.js';

/** A prediction: the alternative (counted from 1), or the number of tokens read until none was left. */
export type Prediction = { readonly alternative: number } | { readonly failedAt: number };

/** The tokens and the calls that a prediction looks at. */
export interface Lookahead {
  /** The type of the token this many places ahead, counted from 0. */
  tokenType(ahead: number): number;
  /** The calls that have not ended. */
  readonly stack: CallStack | undefined;
}

/** The calls that have not ended, innermost first. Equal stacks are one object. */
export interface CallStack {
  /** The state behind the call. */
  readonly state: State;
  readonly parent: CallStack | undefined;
  readonly id: number;
  /** The stacks with one more call, by the state behind it. */
  readonly pushed: Map<State, CallStack>;
}

/** A way through the network: an alternative, the state it has reached, and its calls. */
interface Configuration {
  readonly alternative: number;
  readonly state: State;
  /** `undefined` where the way has left all calls, or in the first stage all calls since the decision. */
  readonly stack: CallStack | undefined;
  /** True if the way has left the rule that decides, by any caller. */
  readonly left: boolean;
}

/** All ways that some tokens leave open, and where they lead by the next token. */
interface Step {
  readonly configurations: readonly Configuration[];
  readonly verdict: Verdict;
  readonly next: Map<number, Step>;
}

/**
 * The alternative that some tokens decide for; `'callers'` if it depends on the callers; undefined if more tokens must
 * be read.
 */
type Verdict = number | 'callers' | undefined;

/** True in the second stage, which knows the callers. */
interface Stage {
  readonly full: boolean;
}

/**
 * Predicts which alternative of a decision the tokens ahead belong to, as ANTLR's adaptive LL(*) does: first by any
 * caller of the rule, and only if that is in conflict by the callers that there are. It keeps the steps it took, so
 * that the next prediction by the same tokens is a walk from step to step.
 *
 * Upstream: github.com/antlr4-go/antlr/v4/parser_atn_simulator.go
 */
export class Predictor {
  readonly #network: Network;
  readonly #outermost = new Map<State, CallStack>();
  readonly #starts = new Map<State, Map<CallStack | undefined, Step>>();
  readonly #fullStarts = new Map<State, Map<CallStack | undefined, Step>>();
  readonly #steps = new Map<string, Step>();
  #stacks = 0;

  constructor(network: Network) {
    this.#network = network;
  }

  /** Predicts the alternative of the decision at `state`, whose transitions are its alternatives. */
  predict(state: State, lookahead: Lookahead): Prediction {
    const local = this.#simulate(state, lookahead, { full: false });
    return local ?? this.#simulate(state, lookahead, { full: true }) ?? { failedAt: 0 };
  }

  /** A stack with one more call. */
  push(state: State, parent: CallStack | undefined): CallStack {
    const pushed = parent?.pushed ?? this.#outermost;
    let stack = pushed.get(state);
    if (stack === undefined) {
      stack = { state, parent, id: this.#stacks++, pushed: new Map() };
      pushed.set(state, stack);
    }
    return stack;
  }

  /** Returns undefined where callers must be known to go on. */
  #simulate(decision: State, lookahead: Lookahead, stage: Stage): Prediction | undefined {
    let step = this.#start(decision, lookahead, stage);
    for (let ahead = 0; ; ahead++) {
      const type = lookahead.tokenType(ahead);
      let next = step.next.get(type);
      if (next === undefined) {
        next = this.#stepOf(this.#reach(step.configurations, type, stage), stage);
        step.next.set(type, next);
      }
      if (next.configurations.length === 0) {
        const finished = finishedAlternative(step.configurations);
        return finished === undefined ? { failedAt: ahead } : { alternative: finished };
      }
      if (next.verdict === 'callers') return undefined;
      if (next.verdict !== undefined) return { alternative: next.verdict };
      step = next;
    }
  }

  #start(decision: State, lookahead: Lookahead, stage: Stage): Step {
    const stack = stage.full ? lookahead.stack : undefined;
    const starts = stage.full ? this.#fullStarts : this.#starts;
    const byStack = starts.get(decision) ?? new Map<CallStack | undefined, Step>();
    starts.set(decision, byStack);
    let start = byStack.get(stack);
    if (start === undefined) {
      const closure = new Closure(this, this.#network, stage);
      for (const [index, { to }] of decision.transitions.entries()) {
        closure.add({ alternative: index + 1, state: to, stack, left: false });
      }
      start = { configurations: closure.configurations, verdict: undefined, next: new Map() };
      byStack.set(stack, start);
    }
    return start;
  }

  #reach(configurations: readonly Configuration[], type: number, stage: Stage): readonly Configuration[] {
    const closure = new Closure(this, this.#network, stage);
    for (const configuration of configurations) {
      for (const transition of configuration.state.transitions) {
        if (transition.kind === 'tokens' && transition.tokens.has(type)) {
          closure.add({ ...configuration, state: transition.to });
        }
      }
    }
    if (type !== Token.Eof) return closure.configurations;
    return closure.configurations.filter(({ state }) => state.kind === 'stop');
  }

  /** The step for some configurations: the same one for the same configurations. */
  #stepOf(configurations: readonly Configuration[], stage: Stage): Step {
    const places = configurations.map(
      ({ alternative, state, stack, left }) => `${alternative},${state.id},${stack?.id ?? -1},${left}`,
    );
    const key = `${stage.full};${places.join(';')}`;
    let step = this.#steps.get(key);
    if (step === undefined) {
      step = { configurations, verdict: verdictOf(configurations, stage), next: new Map() };
      this.#steps.set(key, step);
    }
    return step;
  }
}

function verdictOf(configurations: readonly Configuration[], stage: Stage): Verdict {
  if (configurations.length === 0) return undefined;
  const only = uniqueAlternative(configurations);
  if (only !== undefined) return only;
  const conflict = findConflict(configurations);
  if (stage.full) return conflict.resolved;
  return conflict.terminates ? 'callers' : undefined;
}

/** Collects configurations with all that they reach without a token. */
class Closure {
  readonly configurations: Configuration[] = [];
  readonly #predictor: Predictor;
  readonly #network: Network;
  readonly #stage: Stage;
  readonly #seen = new Set<string>();

  constructor(predictor: Predictor, network: Network, stage: Stage) {
    this.#predictor = predictor;
    this.#network = network;
    this.#stage = stage;
  }

  add(first: Configuration): void {
    const pending = [first];
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      const key = `${at.alternative},${at.state.id},${at.stack?.id ?? -1}`;
      if (this.#seen.has(key)) continue;
      this.#seen.add(key);
      if (at.state.kind === 'stop') this.#leave(at, pending);
      else this.#follow(at, pending);
    }
  }

  #leave(at: Configuration, pending: Configuration[]): void {
    const { stack } = at;
    if (stack !== undefined) {
      pending.push({ ...at, state: stack.state, stack: stack.parent });
      return;
    }
    const follows = this.#stage.full ? [] : (this.#network.follows.get(at.state.rule) ?? []);
    if (follows.length === 0) this.configurations.push(at);
    for (const state of follows) pending.push({ ...at, state, left: true });
  }

  #follow(at: Configuration, pending: Configuration[]): void {
    let consumes = false;
    for (const transition of at.state.transitions) {
      if (transition.kind === 'tokens') {
        consumes = true;
        continue;
      }
      if (transition.kind === 'rule') {
        const rule = this.#network.rules.get(transition.rule);
        if (rule === undefined) continue;
        pending.push({ ...at, state: rule.start, stack: this.#predictor.push(transition.to, at.stack) });
        continue;
      }
      pending.push({ ...at, state: transition.to });
    }
    if (consumes) this.configurations.push(at);
  }
}

function uniqueAlternative(configurations: readonly Configuration[]): number | undefined {
  const [first] = configurations;
  return configurations.every(({ alternative }) => alternative === first?.alternative) ? first?.alternative : undefined;
}

/** The first alternative that had ended the rule of the decision before the token that none accepts. */
function finishedAlternative(configurations: readonly Configuration[]): number | undefined {
  const finished = configurations.filter(
    ({ left, state, stack }) => left || (state.kind === 'stop' && stack === undefined),
  );
  return finished.length === 0 ? undefined : Math.min(...finished.map(({ alternative }) => alternative));
}

interface Conflict {
  /** True if more tokens cannot tell the alternatives apart without the callers. */
  readonly terminates: boolean;
  /** The alternative that all ways agree on. */
  readonly resolved: number | undefined;
}

/** Compares the alternatives that stand at the same states with the same calls. */
function findConflict(configurations: readonly Configuration[]): Conflict {
  const groups = alternativesByPlace(configurations);
  const firsts = new Set([...groups.values()].map(({ alternatives }) => Math.min(...alternatives)));
  const [only] = firsts;
  const resolved = firsts.size === 1 ? only : undefined;
  if (configurations.every(({ state }) => state.kind === 'stop')) return { terminates: true, resolved };
  const byState = new Map<State, Set<number>>();
  for (const { state, alternative } of configurations) {
    byState.set(state, (byState.get(state) ?? new Set()).add(alternative));
  }
  const conflicting = [...groups.values()].some(({ alternatives }) => alternatives.size > 1);
  const alone = [...byState.values()].some((alternatives) => alternatives.size === 1);
  return { terminates: conflicting && !alone, resolved };
}

interface Place {
  readonly alternatives: Set<number>;
}

/** Groups the alternatives by state and by the set of stacks with which they stand there. */
function alternativesByPlace(configurations: readonly Configuration[]): ReadonlyMap<string, Place> {
  const stacks = new Map<string, { readonly state: State; readonly alternative: number; readonly ids: number[] }>();
  for (const { state, alternative, stack } of configurations) {
    const key = `${state.id},${alternative}`;
    const entry = stacks.get(key) ?? { state, alternative, ids: [] };
    entry.ids.push(stack?.id ?? -1);
    stacks.set(key, entry);
  }
  const places = new Map<string, Place>();
  for (const { state, alternative, ids } of stacks.values()) {
    const key = `${state.id}:${ids.includes(-1) ? -1 : ids.sort((a, b) => a - b).join()}`;
    const place = places.get(key) ?? { alternatives: new Set() };
    place.alternatives.add(alternative);
    places.set(key, place);
  }
  return places;
}
