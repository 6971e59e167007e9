import type { Expression, MapEntry, StructField } from '../../ast/expression.js';
import { binaryOperator, Operator } from '../../ast/operators.js';
import { callOrMacro } from '../call-or-macro.js';
import type { ExpressionBuilder } from '../expression-builder.js';
import { doubleLiteral, intLiteral, uintLiteral } from '../literals.js';
import { MacroError } from '../macros.js';
import type { MeaningError, ParsedSpan } from '../parsed-span.js';
import { MAX_DEPTH, RESERVED_WORDS } from '../reserved.js';
import { type ExpressionErrors, NO_LOCATION } from '../source.js';
import type { SyntaxOptions } from '../syntax-options.js';
import { type SourceToken, Token } from '../token.js';
import { LiteralError, unescapeBytes, unescapeString } from '../unescape.js';
import { ParsingAborted } from './recovering-parser.js';
import { childNodes, childTokens, isNode, type SyntaxNode } from './syntax-tree.js';

/** The parts without syntax errors, and what they were parsed with. */
export interface VisitedSpans {
  readonly builder: ExpressionBuilder;
  readonly options: SyntaxOptions;
  readonly errors: readonly MeaningError[];
}

/** Rules whose nodes only pass on their one child, unless an operator stands beside it. */
const OPERATORS: Readonly<Record<string, number>> = {
  expr: Token.QuestionMark,
  conditionalOr: Token.LogicalOr,
  conditionalAnd: Token.LogicalAnd,
};

/**
 * Makes the abstract syntax tree of a source with errors, in order to find the errors that are not of the grammar:
 * reserved words, literals out of range, macros called wrongly. It goes the way of upstream's visitor, over the same
 * holes.
 *
 * Upstream: github.com/google/cel-go/parser/parser.go
 */
export class TreeVisitor {
  readonly #errors: ExpressionErrors;
  readonly #builder: ExpressionBuilder;
  readonly #options: SyntaxOptions;
  readonly #spanErrors: readonly MeaningError[];
  #depth = 0;

  constructor(errors: ExpressionErrors, spans: VisitedSpans) {
    this.#errors = errors;
    this.#builder = spans.builder;
    this.#options = spans.options;
    this.#spanErrors = spans.errors;
  }

  /** Visits a node, or the hole where a node is missing. Throws ParsingAborted for a tree of too many levels. */
  visit(from: SyntaxNode | undefined): Expression {
    const node = from === undefined ? undefined : unwrap(from);
    if (node?.parsed !== undefined) return this.#span(node.parsed);
    switch (node?.rule) {
      case 'start':
        return this.visit(childNodes(node, 'expr')[0]);
      case 'expr':
        return this.#deeper(() => this.#conditional(node));
      case 'conditionalOr':
        return this.#logical(node, Operator.LogicalOr, 'conditionalAnd');
      case 'conditionalAnd':
        return this.#logical(node, Operator.LogicalAnd, 'relation');
      case 'relation':
      case 'calc':
        return this.#deeper(() => this.#binary(node));
      case 'unary':
        return this.#unary(node);
      case 'member':
        return this.#deeper(() => this.#member(node));
      case 'primary':
        return this.#primary(node);
      case 'literal':
        return this.#literal(node);
      default:
        return this.#unknown(node);
    }
  }

  /**
   * Reports the errors of a part without syntax errors. Of a part of too many levels, upstream can report some, too.
   */
  #span({ expression, height, firstError, endOfErrors }: ParsedSpan): Expression {
    if (this.#depth + height > MAX_DEPTH) throw new ParsingAborted('max recursion depth exceeded');
    for (let index = firstError; index < endOfErrors; index++) {
      const error = this.#spanErrors[index];
      if (error !== undefined) this.#errors.addAt(error.offset, error.message);
    }
    return expression;
  }

  #unknown(node: SyntaxNode | undefined): Expression {
    if (this.#errors.count === 0) {
      this.#errors.add(NO_LOCATION, `unknown parse element encountered: <<${node?.rule ?? 'nil'}>>`);
    }
    return this.#hole(-1);
  }

  #deeper(visit: () => Expression): Expression {
    if (++this.#depth > MAX_DEPTH) throw new ParsingAborted('max recursion depth exceeded');
    const result = visit();
    this.#depth--;
    return result;
  }

  #hole(offset: number): Expression {
    return { kind: 'unspecified', id: this.#builder.id(offset) };
  }

  #report(offset: number, message: string): Expression {
    this.#errors.addAt(offset, message);
    return this.#hole(offset);
  }

  #textOf(token: SourceToken): string {
    return token.conjured ?? this.#errors.source.text.slice(token.start, token.end);
  }

  #conditional(node: SyntaxNode): Expression {
    const [condition, yes] = childNodes(node, 'conditionalOr');
    const args = [condition, yes, childNodes(node, 'expr')[0]].map((part) => this.visit(part));
    const [mark] = childTokens(node, Token.QuestionMark);
    return this.#builder.call(mark?.start ?? node.first.start, Operator.Conditional, args);
  }

  #logical(node: SyntaxNode, name: string, term: string): Expression {
    const [first, ...rest] = childNodes(node, term);
    const terms = [this.visit(first)];
    const operators = childTokens(node, OPERATORS[node.rule] ?? 0);
    for (const [index] of operators.entries()) {
      const next = rest[index];
      const spelling = name === Operator.LogicalOr ? '||' : '&&';
      if (next === undefined) return this.#report(node.first.start, `unexpected character, wanted '${spelling}'`);
      terms.push(this.visit(next));
    }
    return this.#builder.balanced(
      name,
      terms,
      operators.map(({ start }) => start),
    );
  }

  #binary(node: SyntaxNode): Expression {
    const operator = node.children.find((child): child is SourceToken => !isNode(child));
    const name = operator === undefined ? undefined : binaryOperator(this.#textOf(operator));
    if (operator === undefined || name === undefined) return this.#report(node.first.start, 'operator not found');
    const [left, right] = childNodes(node, node.rule);
    return this.#builder.call(operator.start, name, [this.visit(left), this.visit(right)]);
  }

  #unary(node: SyntaxNode): Expression {
    if (node.label === undefined) return this.#builder.literal(node.first.start, '<<error>>');
    const operators = childTokens(node, node.label === 'negate' ? Token.Minus : Token.Exclamation);
    const operand = this.visit(childNodes(node, 'member')[0]);
    if (operators.length % 2 === 0) return operand;
    const name = node.label === 'negate' ? Operator.Negate : Operator.LogicalNot;
    return this.#builder.call(operators[0]?.start ?? node.first.start, name, [operand]);
  }

  #member(node: SyntaxNode): Expression {
    const operand = this.visit(childNodes(node, 'member')[0]);
    switch (node.label) {
      case 'select':
        return this.#selection(node, operand);
      case 'memberCall':
        return this.#memberCall(node, operand);
      case 'index':
        return this.#indexing(node, operand);
      default:
        return this.#unknown(node);
    }
  }

  #selection(node: SyntaxNode, operand: Expression): Expression {
    const [dot] = childTokens(node, Token.Dot);
    const [identifier] = childNodes(node, 'escapeIdent');
    if (dot === undefined || identifier === undefined) return this.#hole(node.first.start);
    const name = this.#fieldName(identifier, identifier.first.start);
    if (childTokens(node, Token.QuestionMark).length === 0) {
      return this.#builder.select(dot.start, operand, name ?? '');
    }
    if (!this.#options.optionalSyntax) return this.#report(dot.start, "unsupported syntax '.?'");
    const literal = this.#builder.literal(identifier.first.start, name ?? '');
    return this.#builder.call(dot.start, Operator.OptSelect, [operand, literal]);
  }

  /** The name of a field; undefined, and reported at `offset`, if there is none that is supported. */
  #fieldName(identifier: SyntaxNode | undefined, offset: number): string | undefined {
    const type = identifier?.label === 'simple' ? Token.Identifier : Token.EscapedIdentifier;
    const token = identifier?.label === undefined ? undefined : childTokens(identifier, type).at(-1);
    if (token?.type === Token.Identifier) return this.#textOf(token);
    this.#report(offset, token === undefined ? 'unsupported ident kind' : "unsupported syntax: '`'");
    return undefined;
  }

  #memberCall(node: SyntaxNode, operand: Expression): Expression {
    const [identifier] = childTokens(node, Token.Identifier);
    if (identifier === undefined) return this.#hole(node.first.start);
    const [open] = childTokens(node, Token.LeftParen);
    return this.#callOrMacro(open?.start ?? 0, this.#textOf(identifier), this.#arguments(node), operand);
  }

  #arguments(node: SyntaxNode): readonly Expression[] {
    const [list] = childNodes(node, 'exprList');
    return list === undefined ? [] : childNodes(list, 'expr').map((part) => this.visit(part));
  }

  #callOrMacro(offset: number, name: string, args: readonly Expression[], target?: Expression): Expression {
    const made = callOrMacro(this.#builder, this.#options.macros, { offset, name, args, target });
    return made instanceof MacroError ? this.#report(this.#builder.offsets[made.at] ?? offset, made.message) : made;
  }

  #indexing(node: SyntaxNode, operand: Expression): Expression {
    const [open] = childTokens(node, Token.LeftBracket);
    if (open === undefined) return this.#hole(node.first.start);
    const index = this.visit(childNodes(node, 'expr')[0]);
    const optional = childTokens(node, Token.QuestionMark).length > 0;
    if (optional && !this.#options.optionalSyntax) return this.#report(open.start, "unsupported syntax '[?'");
    return this.#builder.call(open.start, optional ? Operator.OptIndex : Operator.Index, [operand, index]);
  }

  #primary(node: SyntaxNode): Expression {
    switch (node.label) {
      case 'ident':
      case 'globalCall':
        return this.#named(node);
      case 'createList':
        return this.#list(node);
      case 'createMap':
        return this.#map(node);
      case 'createMessage':
        return this.#struct(node);
      default:
        return this.#unknown(node);
    }
  }

  #named(node: SyntaxNode): Expression {
    const [identifier] = childTokens(node, Token.Identifier);
    if (identifier === undefined) return this.#hole(node.first.start);
    const word = this.#textOf(identifier);
    if (RESERVED_WORDS.has(word)) return this.#report(node.first.start, `reserved identifier: ${word}`);
    const name = hasLeadingDot(node) ? `.${word}` : word;
    if (node.label === 'ident') return this.#builder.identifier(identifier.start, name);
    const [open] = childTokens(node, Token.LeftParen);
    return this.#callOrMacro(open?.start ?? 0, name, this.#arguments(node));
  }

  #list(node: SyntaxNode): Expression {
    const [open] = childTokens(node, Token.LeftBracket);
    const [items] = childNodes(node, 'listInit');
    const elements = (items === undefined ? [] : childNodes(items, 'optExpr')).map((item) => {
      const element = this.visit(childNodes(item, 'expr')[0]);
      const [mark] = childTokens(item, Token.QuestionMark);
      if (mark !== undefined && !this.#options.optionalSyntax) this.#report(mark.start, "unsupported syntax '?'");
      return element;
    });
    return this.#builder.list(open?.start ?? 0, elements);
  }

  #map(node: SyntaxNode): Expression {
    const [open] = childTokens(node, Token.LeftBrace);
    const [list] = childNodes(node, 'mapInitializerList');
    return this.#builder.map(open?.start ?? 0, list === undefined ? [] : this.#mapEntries(list));
  }

  #mapEntries(list: SyntaxNode): readonly MapEntry[] {
    const [keys, values] = [childNodes(list, 'optExpr'), childNodes(list, 'expr')];
    const entries: MapEntry[] = [];
    for (const [index, colon] of childTokens(list, Token.Colon).entries()) {
      const id = this.#builder.id(colon.start);
      const [key, value] = [keys[index], values[index]];
      if (key === undefined || value === undefined) return [];
      const optional = this.#optionalMark(key);
      if (optional === undefined) continue;
      entries.push({ id, key: this.visit(childNodes(key, 'expr')[0]), value: this.visit(value), optional });
    }
    return entries;
  }

  /** True if an entry is optional; undefined, and reported, if that is not supported. */
  #optionalMark(node: SyntaxNode): boolean | undefined {
    if (childTokens(node, Token.QuestionMark).length === 0) return false;
    if (this.#options.optionalSyntax) return true;
    this.#report(node.first.start, "unsupported syntax '?'");
    return undefined;
  }

  #struct(node: SyntaxNode): Expression {
    const name = childTokens(node, Token.Identifier).map((identifier) => this.#textOf(identifier));
    const [open] = childTokens(node, Token.LeftBrace);
    const [list] = childNodes(node, 'fieldInitializerList');
    const fields = list === undefined ? [] : this.#structFields(list);
    return this.#builder.struct(open?.start ?? 0, `${hasLeadingDot(node) ? '.' : ''}${name.join('.')}`, fields);
  }

  #structFields(list: SyntaxNode): readonly StructField[] {
    const [colons, values] = [childTokens(list, Token.Colon), childNodes(list, 'expr')];
    const fields: StructField[] = [];
    for (const [index, field] of childNodes(list, 'optField').entries()) {
      const [colon, value] = [colons[index], values[index]];
      if (colon === undefined || value === undefined) return [];
      const id = this.#builder.id(colon.start);
      const optional = this.#optionalMark(field);
      if (optional === undefined) continue;
      const name = this.#fieldName(childNodes(field, 'escapeIdent')[0], list.first.start);
      if (name === undefined) continue;
      fields.push({ id, name, value: this.visit(value), optional });
    }
    return fields;
  }

  #literal(node: SyntaxNode): Expression {
    const tokens = node.children.filter((child): child is SourceToken => !isNode(child));
    const token = tokens.at(-1);
    const text = tokens.map((part) => this.#textOf(part)).join('');
    const { start } = node.first;
    if (token === undefined || node.label === undefined) return this.#unknown(node);
    try {
      return this.#builder.literal(start, constantOf(node.label, text));
    } catch (error) {
      if (!(error instanceof LiteralError)) throw error;
      return this.#report(start, error.message);
    }
  }
}

function hasLeadingDot(node: SyntaxNode): boolean {
  const [first] = node.children;
  return first !== undefined && !isNode(first) && first.type === Token.Dot;
}

function constantOf(label: string, text: string) {
  switch (label) {
    case 'int':
      return intLiteral(text);
    case 'uint':
      return uintLiteral(text);
    case 'double':
      return doubleLiteral(text);
    case 'string':
      return unescapeString(text);
    case 'bytes':
      return unescapeBytes(text.slice(1));
    case 'null':
      return null;
    default:
      return label === 'true';
  }
}

/** Goes down through nodes that only pass on one child. */
function unwrap(from: SyntaxNode): SyntaxNode | undefined {
  let node: SyntaxNode | undefined = from;
  for (;;) {
    const child: readonly [SyntaxNode | undefined] | undefined = node === undefined ? undefined : passedOn(node);
    if (child === undefined) return node;
    node = child[0];
  }
}

/** The one child that a node passes on, or a hole; undefined if the node is to be visited itself. */
function passedOn(node: SyntaxNode): readonly [SyntaxNode | undefined] | undefined {
  if (node.parsed !== undefined) return undefined;
  const operator = OPERATORS[node.rule];
  if (operator !== undefined && childTokens(node, operator).length > 0) return undefined;
  switch (node.rule) {
    case 'expr':
      return [childNodes(node, 'conditionalOr')[0]];
    case 'conditionalOr':
      return [childNodes(node, 'conditionalAnd')[0]];
    case 'conditionalAnd':
      return [childNodes(node, 'relation')[0]];
    case 'relation':
      return childNodes(node, 'relation').length > 0 ? undefined : [childNodes(node, 'calc')[0]];
    case 'calc':
      return childNodes(node, 'calc').length > 0 ? undefined : [childNodes(node, 'unary')[0]];
    case 'unary':
      return node.label === 'memberExpr' ? [childNodes(node, 'member')[0]] : undefined;
    case 'member':
      return childNodes(node, 'member').length > 0 ? undefined : [childNodes(node, 'primary')[0]];
    case 'primary':
      if (node.label === 'nested') return [childNodes(node, 'expr')[0]];
      return node.label === 'constant' ? [childNodes(node, 'literal')[0]] : undefined;
    default:
      return undefined;
  }
}
