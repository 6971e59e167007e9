import { fieldErrorMessage } from '../field/field-error.js';
import { FieldPath } from '../field/path.js';
import { isParseError, ParseError } from '../text/parse-error.js';
import { LabelLexer, type LabelToken, type LabelTokenKind } from './label-lexer.js';
import {
  BINARY_LABEL_OPERATORS,
  checkLabelKey,
  type LabelOperator,
  type LabelRequirement,
  requirementOf,
} from './label-requirement.js';
import { type LabelSelector, selectorOf } from './label-selector.js';

const OPERATORS: ReadonlyMap<LabelTokenKind, LabelOperator> = new Map<LabelTokenKind, LabelOperator>([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
]);

/** Keys are checked as they are read. */
const CHECKED = { path: FieldPath.none, keyFaults: [] };
const NOTHING: readonly string[] = [];

/**
 * Parses the text form of a label selector: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>5`. The empty text selects
 * everything. Throws a ParseError with upstream's text; the server returns it as a bad request.
 *
 * Upstream: Parse in k8s.io/apimachinery/pkg/labels/selector.go
 */
export function parseLabelSelector(text: string): LabelSelector {
  return selectorOf(parseRequirements(new TokenReader(new LabelLexer(text))));
}

/** Reads tokens in order. `in` and `notin` are plain identifiers except where an operator is expected. */
class TokenReader {
  readonly #lexer: LabelLexer;
  #following: LabelToken;

  constructor(lexer: LabelLexer) {
    this.#lexer = lexer;
    this.#following = lexer.next();
  }

  peek(): LabelToken {
    return asValue(this.peekOperator());
  }

  peekOperator(): LabelToken {
    return this.#following;
  }

  next(): LabelToken {
    return asValue(this.nextOperator());
  }

  nextOperator(): LabelToken {
    const token = this.peekOperator();
    this.#following = this.#lexer.next();
    return token;
  }
}

function asValue(token: LabelToken): LabelToken {
  return token.kind === 'in' || token.kind === 'notin' ? { kind: 'identifier', text: token.text } : token;
}

function unexpected(token: LabelToken, expected: string): ParseError {
  return new ParseError(`found '${token.text}', expected: ${expected}`);
}

function parseRequirements(reader: TokenReader): LabelRequirement[] {
  const requirements: LabelRequirement[] = [];
  for (;;) {
    const token = reader.peek();
    if (token.kind === 'end') return requirements;
    if (!startsRequirement(token)) throw unexpected(token, "!, identifier, or 'end of string'");
    requirements.push(parseRequirement(reader));
    const separator = reader.next();
    if (separator.kind === 'end') return requirements;
    if (separator.kind !== ',') throw unexpected(separator, "',' or 'end of string'");
    if (!startsRequirement(reader.peek())) throw unexpected(reader.peek(), "identifier after ','");
  }
}

function startsRequirement(token: LabelToken): boolean {
  return token.kind === 'identifier' || token.kind === '!';
}

function parseRequirement(reader: TokenReader): LabelRequirement {
  try {
    return parseBareRequirement(reader);
  } catch (error) {
    if (isParseError(error)) throw new ParseError(`unable to parse requirement: ${error.message}`);
    throw error;
  }
}

function parseBareRequirement(reader: TokenReader): LabelRequirement {
  const first = reader.next();
  const negated = first.kind === '!';
  const key = parseKey(negated ? reader.next() : first);
  if (negated) return requirementOf(key, '!', NOTHING, CHECKED);
  const following = reader.peek().kind;
  if (following === 'end' || following === ',') return requirementOf(key, 'exists', NOTHING, CHECKED);
  const operator = parseOperator(reader.nextOperator());
  const setBased = operator === 'in' || operator === 'notin';
  return requirementOf(key, operator, setBased ? parseValues(reader) : [parseExactValue(reader)], CHECKED);
}

function parseKey(token: LabelToken): string {
  if (token.kind !== 'identifier') throw unexpected(token, 'identifier');
  const [fault] = checkLabelKey(token.text, FieldPath.none);
  if (fault !== undefined) throw new ParseError(fieldErrorMessage(fault));
  return token.text;
}

function parseOperator(token: LabelToken): LabelOperator {
  const operator = OPERATORS.get(token.kind);
  if (operator === undefined) throw unexpected(token, BINARY_LABEL_OPERATORS.join(', '));
  return operator;
}

/** The values in parentheses, sorted and without duplicates; an empty place between commas is the empty value. */
function parseValues(reader: TokenReader): string[] {
  const open = reader.next();
  if (open.kind !== '(') throw new ParseError(`found '${open.text}' expected: '('`);
  const first = reader.peek();
  if (first.kind === ')') {
    reader.next();
    return [''];
  }
  if (first.kind !== 'identifier' && first.kind !== ',') throw unexpected(first, "',', ')' or identifier");
  const values = parseIdentifiers(reader);
  if (reader.next().kind !== ')') throw unexpected(first, "')'");
  return [...values].sort();
}

function parseIdentifiers(reader: TokenReader): Set<string> {
  const values = new Set<string>();
  for (;;) {
    const token = reader.next();
    const following = reader.peek();
    if (token.kind === 'identifier') {
      values.add(token.text);
      if (following.kind === ')') return values;
      if (following.kind !== ',') throw unexpected(following, "',' or ')'");
    } else if (token.kind === ',') {
      if (values.size === 0 || following.kind === ')' || following.kind === ',') values.add('');
      if (following.kind === ')') return values;
    } else {
      throw unexpected(token, "',', or identifier");
    }
  }
}

function parseExactValue(reader: TokenReader): string {
  const following = reader.peek();
  if (following.kind === 'end' || following.kind === ',') return '';
  const token = reader.next();
  if (token.kind !== 'identifier') throw unexpected(token, 'identifier');
  return token.text;
}
