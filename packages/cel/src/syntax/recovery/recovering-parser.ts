import type { ParsedSpan } from '../parsed-span.js';
import type { SourceToken } from '../token.js';
import { isLiteralToken, Token, type TokenType, tokenName } from '../token.js';
import {
  type Choice,
  type Element,
  EPSILON,
  firstTokens,
  type Loop,
  type Network,
  nextTokens,
  type Rule,
  type Sequence,
  type State,
} from './atn.js';
import { type CallStack, type Prediction, Predictor } from './prediction.js';
import type { SyntaxNode } from './syntax-tree.js';
import type { SpanRule } from './well-formed-spans.js';

/** Called for each syntax error. */
type SyntaxErrorListener = (at: SourceToken, message: string) => void;

/** The source of the tokens, and the bounds of the parser. */
export interface RecoveringParserOptions {
  readonly network: Network;
  readonly source: string;
  /** The text between two offsets, without what begins no token. */
  textBetween(start: number, end: number): string;
  /** The next token; the last one is of type Eof and repeats. */
  next(): SourceToken;
  /** The part without syntax errors that begins at a token, by its index, inside this many nested calls. */
  findSpan(rule: SpanRule, index: number, depth: number): ParsedSpan | undefined;
  readonly onError: SyntaxErrorListener;
  /** Most calls of one rule within each other. */
  readonly maxDepth: number;
  /** Most recoveries before the parser gives up. */
  readonly maxRecoveries: number;
  /** Most tokens that one recovery skips. */
  readonly maxSkipped: number;
}

/** The parser gave up. The message is empty if the listener has been told. */
export class ParsingAborted extends Error {
  override readonly name = 'ParsingAborted';
}

/** A rule cannot go on at the current token. */
class Mismatch {
  readonly message: string;
  readonly at: SourceToken;

  constructor(at: SourceToken, message: string) {
    this.at = at;
    this.message = message;
  }
}

/** The elements of a rule that are being read: those of its body, or of a part of it. */
interface Cursor {
  readonly body: Sequence;
  at: number;
  /** The loop whose body it is. */
  readonly loop: Loop | undefined;
  readonly outer: Cursor | undefined;
}

/** A call of a rule that has not ended. */
interface Frame {
  readonly rule: string;
  /** The node that its caller got for it. */
  readonly first: SyntaxNode;
  /** The node of the rule; a left-recursive one wraps it in another. */
  node: SyntaxNode;
  /** The states behind this call and those around it. */
  readonly stack: CallStack | undefined;
  readonly precedence: number;
  readonly parent: Frame | undefined;
  readonly depth: Depth;
  cursor: Cursor | undefined;
}

/** Number of calls of a rule that have not ended. */
interface Depth {
  calls: number;
}

/**
 * Parses a source that may have syntax errors. It reports each and goes on behind it as ANTLR's default error strategy
 * does. The errors are therefore upstream's, in number, place and text.
 *
 * Upstream: github.com/antlr4-go/antlr/v4/error_strategy.go, github.com/google/cel-go/parser/parser.go
 */
export class RecoveringParser {
  readonly #options: RecoveringParserOptions;
  readonly #network: Network;
  readonly #predictor: Predictor;
  readonly #tokens: SourceToken[] = [];
  readonly #depths = new Map<string, Depth>();
  #index = 0;
  #frame: Frame | undefined;
  #state: State;
  #recovering = false;
  #lastErrorIndex = -1;
  #lastErrorStates = new Set<State>();
  #recoveries = 0;
  /** Tokens that the current recovery may still skip; without bound outside a recovery. */
  #mayConsume = Number.POSITIVE_INFINITY;

  constructor(options: RecoveringParserOptions) {
    this.#options = options;
    this.#network = options.network;
    this.#predictor = new Predictor(options.network);
    this.#state = ruleOf(options.network, 'start').start;
  }

  /**
   * Parses the whole source. Throws ParsingAborted where upstream gives up. Calls of rules are frames and no calls of
   * JavaScript: a hostile source nests them by the thousand.
   */
  parse(): SyntaxNode {
    const start = this.#call('start', 0, undefined);
    for (let frame = this.#frame; frame !== undefined; frame = this.#frame) {
      try {
        while (this.#frame !== undefined) this.#step(this.#frame);
      } catch (error) {
        if (!(error instanceof Mismatch)) throw error;
        this.#report(error.at, error.message);
        this.#recover();
        this.#end(this.#frame ?? frame);
      }
    }
    return start.node;
  }

  #token(ahead: number): SourceToken {
    while (this.#tokens.length <= this.#index + ahead) {
      const last = this.#tokens.at(-1);
      if (last?.type === Token.Eof) return last;
      this.#tokens.push(this.#options.next());
    }
    return this.#tokens[this.#index + ahead] ?? { type: Token.Eof, start: 0, end: 0 };
  }

  #consume(): void {
    if (this.#mayConsume-- <= 0) {
      throw new ParsingAborted(`error recovery token lookahead limit exceeded: ${this.#options.maxSkipped}`);
    }
    const token = this.#token(0);
    if (token.type !== Token.Eof) this.#index++;
    this.#frame?.node.children.push(token);
  }

  /** Takes a part without syntax errors as it is. Returns false where there is none. */
  #takeSpan(name: string): boolean {
    if (name !== 'expr' && name !== 'unary' && name !== 'optExpr') return false;
    const span = this.#options.findSpan(name === 'unary' ? 'unary' : 'expr', this.#index, this.#deepest());
    if (span === undefined) return false;
    const first = this.#token(0);
    const node: SyntaxNode = { rule: name === 'unary' ? 'unary' : 'expr', children: [], first, parsed: span };
    this.#frame?.node.children.push(name === 'optExpr' ? { rule: 'optExpr', children: [node], first } : node);
    // All tokens up to the next are read, as their errors are reported then.
    this.#token(span.end - this.#index);
    this.#index = span.end;
    this.#endRecovery();
    return true;
  }

  /**
   * Takes the name of a field without a call, since a source can select 50,000 of them. Returns false where there is
   * none.
   */
  #takeIdentifier(name: string): boolean {
    const first = this.#token(0);
    if (name !== 'escapeIdent' || first.type !== Token.Identifier) return false;
    this.#frame?.node.children.push({ rule: name, label: 'simple', children: [first], first });
    this.#index++;
    this.#endRecovery();
    return true;
  }

  /** Most calls of a rule that have not ended. */
  #deepest(): number {
    let deepest = 0;
    for (const { calls } of this.#depths.values()) deepest = Math.max(deepest, calls);
    return deepest;
  }

  #call(name: string, precedence: number, follow: State | undefined): Frame {
    const rule = ruleOf(this.#network, name);
    const node: SyntaxNode = { rule: name, children: [], first: this.#token(0) };
    const parent = this.#frame;
    parent?.node.children.push(node);
    const depth = this.#enter(name);
    const stack = follow === undefined ? undefined : this.#predictor.push(follow, parent?.stack);
    const cursor: Cursor = { body: rule.body, at: 0, loop: undefined, outer: undefined };
    this.#frame = { rule: name, first: node, node, stack, precedence, parent, depth, cursor };
    return this.#frame;
  }

  /** Ends a call. The outermost node of a left-recursive rule takes the place of its innermost one. */
  #end({ first, node, parent, depth }: Frame): void {
    depth.calls--;
    this.#frame = parent;
    if (parent === undefined || first === node) return;
    const { children } = parent.node;
    children[children.lastIndexOf(first)] = node;
  }

  /** Counts a call of a rule. */
  #enter(name: string): Depth {
    const { maxDepth } = this.#options;
    let depth = this.#depths.get(name);
    if (depth === undefined) {
      depth = { calls: 0 };
      this.#depths.set(name, depth);
    }
    if (++depth.calls > maxDepth) throw new ParsingAborted(`expression recursion limit exceeded: ${maxDepth}`);
    return depth;
  }

  /** Reads the next element of a rule, or ends a part of it. */
  #step(frame: Frame): void {
    const { cursor } = frame;
    if (cursor === undefined) {
      this.#end(frame);
      return;
    }
    const element = cursor.body[cursor.at++];
    if (element !== undefined) this.#read(element, frame);
    else if (cursor.loop === undefined || !this.#repeats(cursor.loop, frame)) frame.cursor = cursor.outer;
    else cursor.at = 0;
  }

  #read(element: Element, frame: Frame): void {
    switch (element.kind) {
      case 'call':
        this.#state = element.state;
        if (this.#takeSpan(element.rule) || this.#takeIdentifier(element.rule)) return;
        this.#call(element.rule, element.precedence, element.state.transitions[0]?.to);
        return;
      case 'loop':
        if (this.#begins(element.loop, frame)) this.#enterPart(frame, element.loop.body, element.loop);
        return;
      case 'choice':
        this.#enterPart(frame, this.#choose(element.choice));
        return;
      case 'option':
        if (this.#isPresent(element.state)) this.#enterPart(frame, element.body);
        return;
      default:
        this.#terminal(element);
    }
  }

  #enterPart(frame: Frame, body: Sequence, loop?: Loop): void {
    frame.cursor = { body, at: 0, loop, outer: frame.cursor };
  }

  #terminal(element: Extract<Element, { readonly kind: 'token' | 'set' }>): void {
    this.#state = element.state;
    this.#match((type) => (element.kind === 'token' ? type === element.type : element.tokens.has(type)));
  }

  #isPresent(state: State): boolean {
    this.#state = state;
    this.#sync();
    return this.#startsWith(state);
  }

  /** True if a loop has a first turn. */
  #begins(loop: Loop, frame: Frame): boolean {
    this.#state = loop.entry;
    this.#sync();
    return wrapsRelation(frame, loop.atLeastOnce || this.#goesOn(loop, loop.entry));
  }

  /** True if a loop has another turn. */
  #repeats(loop: Loop, frame: Frame): boolean {
    this.#state = loop.back;
    this.#sync();
    return wrapsRelation(frame, this.#goesOn(loop, loop.atLeastOnce ? loop.back : loop.entry));
  }

  #goesOn(loop: Loop, decision: State): boolean {
    const frame = this.#frame;
    if (frame !== undefined && LEFT_RECURSIVE.has(frame.rule)) {
      return firstTokens(loop.entry, frame.precedence).has(this.#token(0).type);
    }
    return loop.oneToken ? this.#startsWith(decision) : this.#predict(decision) === 1;
  }

  /** True if the current token begins the first alternative of a state. */
  #startsWith(state: State): boolean {
    const body = state.transitions[0]?.to;
    return body !== undefined && nextTokens(this.#network, body).has(this.#token(0).type);
  }

  /** The alternative that the tokens ahead belong to; the node gets its label. */
  #choose({ state, alternatives, oneToken }: Choice): Sequence {
    this.#state = state;
    this.#sync();
    const chosen = alternatives[(oneToken ? this.#alternativeOf(state) : this.#predict(state)) - 1];
    if (chosen === undefined) return [];
    if (LEFT_RECURSIVE_CHOICES.has(state.rule) && this.#frame !== undefined) wrap(this.#frame);
    if (chosen.label !== undefined && this.#frame !== undefined) this.#frame.node.label = chosen.label;
    return chosen.body;
  }

  #alternativeOf(state: State): number {
    const { type } = this.#token(0);
    const index = state.transitions.findIndex(({ to }) => nextTokens(this.#network, to).has(type));
    if (index < 0) throw this.#noViableAlternative(0);
    return index + 1;
  }

  #predict(state: State): number {
    const frame = this.#frame;
    if (frame === undefined) throw new TypeError('no rule is being parsed');
    const tokenType = (ahead: number) => this.#token(ahead).type;
    const prediction: Prediction = this.#predictor.predict(state, { tokenType, stack: frame.stack });
    if ('failedAt' in prediction) throw this.#noViableAlternative(prediction.failedAt);
    return prediction.alternative;
  }

  #noViableAlternative(ahead: number): Mismatch {
    const first = this.#token(0);
    const last = this.#token(ahead);
    const text = first.type === Token.Eof ? '<EOF>' : this.#options.textBetween(first.start, last.end);
    return new Mismatch(last, `no viable alternative at input ${quote(text)}`);
  }

  #match(accepts: (type: number) => boolean): void {
    if (accepts(this.#token(0).type)) {
      this.#endRecovery();
      this.#consume();
      return;
    }
    const conjured = this.#recoverInline();
    if (conjured !== undefined) this.#frame?.node.children.push(conjured);
  }

  /** Deletes the current token or makes up a missing one. */
  #recoverInline(): SourceToken | undefined {
    return this.#bounded(() => {
      if (this.#deleteToken()) {
        this.#consume();
        return undefined;
      }
      const behind = this.#state.transitions[0]?.to;
      const type = this.#token(0).type;
      if (behind !== undefined && this.#expectedAt(behind).has(type)) {
        this.#reportMissing();
        return this.#missingToken();
      }
      throw this.#mismatch();
    });
  }

  #mismatch(): Mismatch {
    const token = this.#token(0);
    return new Mismatch(token, `mismatched input ${this.#display(token)} expecting ${describe(this.#expected())}`);
  }

  /** Deletes the current token if the next one is expected here. */
  #deleteToken(): boolean {
    if (!this.#expected().has(this.#token(1).type)) return false;
    this.#reportUnwanted();
    this.#consume();
    this.#endRecovery();
    return true;
  }

  #reportUnwanted(): void {
    const token = this.#token(0);
    this.#report(token, `extraneous input ${this.#display(token)} expecting ${describe(this.#expected())}`);
  }

  #reportMissing(): void {
    const token = this.#token(0);
    this.#report(token, `missing ${describe(this.#expected())} at ${this.#display(token)}`);
  }

  #missingToken(): SourceToken {
    const type = [...this.#expected()].sort((a, b) => a - b)[0] as TokenType;
    const known = type === Token.Eof ? 'EOF' : isLiteralToken(type) ? tokenName(type) : 'undefined';
    const current = this.#token(0);
    const place = current.type === Token.Eof ? (this.#tokens[this.#index - 1] ?? current) : current;
    return { type, start: place.start, end: place.start, conjured: `<missing ${known}>` };
  }

  /** Makes sure that the current token can follow the current state, before a decision. */
  #sync(): void {
    if (this.#recovering) return;
    const next = nextTokens(this.#network, this.#state);
    if (next.has(EPSILON) || next.has(this.#token(0).type)) return;
    if (this.#state.kind === 'block' || this.#state.kind === 'loop-entry') {
      if (!this.#deleteToken()) throw this.#mismatch();
      return;
    }
    if (this.#state.kind !== 'plus-loop-back' && this.#state.kind !== 'star-loop-back') return;
    this.#reportUnwanted();
    this.#skipTo(new Set([...this.#expected(), ...this.#recoverySet()]));
  }

  #report(at: SourceToken, message: string): void {
    if (this.#recovering) return;
    this.#recovering = true;
    this.#options.onError(at, message);
  }

  #endRecovery(): void {
    this.#recovering = false;
    if (this.#lastErrorIndex < 0) return;
    this.#lastErrorStates.clear();
    this.#lastErrorIndex = -1;
  }

  #recover(): void {
    this.#bounded(() => {
      if (this.#lastErrorIndex === this.#index && this.#lastErrorStates.has(this.#state)) this.#consume();
      this.#lastErrorIndex = this.#index;
      this.#lastErrorStates.add(this.#state);
      this.#skipTo(this.#recoverySet());
    });
  }

  /** Counts a recovery, and bounds the tokens it skips. */
  #bounded<T>(recovery: () => T): T {
    const { maxRecoveries, maxSkipped } = this.#options;
    if (this.#recoveries++ === maxRecoveries) {
      this.#options.onError(this.#token(0), `error recovery attempt limit exceeded: ${maxRecoveries}`);
      throw new ParsingAborted('');
    }
    this.#mayConsume = maxSkipped;
    try {
      return recovery();
    } finally {
      this.#mayConsume = Number.POSITIVE_INFINITY;
    }
  }

  #skipTo(tokens: ReadonlySet<number>): void {
    for (let { type } = this.#token(0); type !== Token.Eof && !tokens.has(type); { type } = this.#token(0)) {
      this.#consume();
    }
  }

  /** The tokens that can follow the call of any rule that has not ended. */
  #recoverySet(): ReadonlySet<number> {
    const found = new Set<number>();
    for (let at = this.#frame?.stack; at !== undefined; at = at.parent) {
      for (const token of nextTokens(this.#network, at.state)) found.add(token);
    }
    found.delete(EPSILON);
    return found;
  }

  /** The tokens that can come next, within the calls that have not ended. */
  #expected(): ReadonlySet<number> {
    return this.#expectedAt(this.#state);
  }

  #expectedAt(state: State): ReadonlySet<number> {
    let following = nextTokens(this.#network, state);
    const expected = new Set(following);
    for (let at = this.#frame?.stack; following.has(EPSILON) && at !== undefined; at = at.parent) {
      following = nextTokens(this.#network, at.state);
      for (const token of following) expected.add(token);
    }
    expected.delete(EPSILON);
    if (following.has(EPSILON)) expected.add(Token.Eof);
    return expected;
  }

  #display(token: SourceToken): string {
    return token.type === Token.Eof ? "'<EOF>'" : quote(this.#options.source.slice(token.start, token.end));
  }
}

/** The rules with loops that an operator of enough precedence enters. */
const LEFT_RECURSIVE: ReadonlySet<string> = new Set(['relation', 'calc', 'member']);

/**
 * The left-recursive rules of several alternatives. They wrap their node when the alternative is known, `relation`
 * before.
 */
const LEFT_RECURSIVE_CHOICES: ReadonlySet<string> = new Set(['calc', 'member']);

/** Wraps the node of a left-recursive rule in a new one, whose first child it is. */
function wrap(frame: Frame): void {
  frame.node = { rule: frame.rule, children: [frame.node], first: frame.node.first };
}

/** A turn of the loop of `relation` wraps its node at once. Those of other rules wait for the choice of an operator. */
function wrapsRelation(frame: Frame, more: boolean): boolean {
  if (more && frame.rule === 'relation') wrap(frame);
  return more;
}

function ruleOf(network: Network, name: string): Rule {
  const rule = network.rules.get(name);
  if (rule === undefined) throw new TypeError(`the grammar has no rule ${name}`);
  return rule;
}

function describe(tokens: ReadonlySet<number>): string {
  const names = [...tokens].sort((a, b) => a - b).map(tokenName);
  return names.length === 1 ? (names[0] ?? '') : `{${names.join(', ')}}`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`;
}
