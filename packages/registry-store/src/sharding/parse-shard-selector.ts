import { ParseError, quote, trimSpace } from '@apiserver/apimachinery/text';
import type { ShardSelector } from '@apiserver/apiserver-contracts';
import { Double, type Expression, ExpressionErrors, parseExpression, Uint } from '@apiserver/cel';
import { type ShardRange, shardMatcher } from './shard-ranges.js';

const FIELDS: ReadonlyMap<string, ShardSelector['field']> = new Map([
  ['object.metadata.uid', 'uid'],
  ['object.metadata.namespace', 'namespace'],
]);
/** 2^64, the end of all hashes. */
const END = '0x10000000000000000';
const DIGITS = 16;
/** Upstream: the limit of cel-go's parser, in code points. */
const MAX_LENGTH = 100_000;
/** In another form than responses show. */
const MAX_ODD_LENGTH = 16_384;
const PLAIN_RANGE =
  /shardRange\([ \t\n\f\r]*(object\.metadata\.(?:uid|namespace))[ \t\n\f\r]*,[ \t\n\f\r]*'(0x[0-9a-f]{16,17})'[ \t\n\f\r]*,[ \t\n\f\r]*'(0x[0-9a-f]{16,17})'[ \t\n\f\r]*\)[ \t\n\f\r]*(?:(\|\|)[ \t\n\f\r]*)?/y;
/** Upstream: the numbers of ExprKind in github.com/google/cel-go/common/ast */
const KIND_NUMBERS: Readonly<Record<Expression['kind'], number>> = {
  unspecified: 0,
  call: 1,
  comprehension: 2,
  identifier: 3,
  list: 4,
  literal: 5,
  map: 6,
  select: 7,
  struct: 8,
};

interface Requirement extends ShardRange {
  readonly path: string;
  readonly field: ShardSelector['field'];
}

/**
 * Parses a shard selector: calls of shardRange(), joined by `||`. It is an expression that is only read, never
 * evaluated. Throws a ParseError with upstream's message.
 * Upstream: k8s.io/apiserver/pkg/sharding/parser.go
 */
export function parseShardSelector(text: string): ShardSelector {
  const trimmed = trimSpace(text);
  if (trimmed === '') {
    throw new ParseError('empty shard selector is not allowed; omit the parameter for unfiltered lists');
  }
  const requirements = plainRequirements(trimmed) ?? parsedRequirements(trimmed);
  const [path = '', other] = new Set(requirements.map((one) => one.path));
  if (other !== undefined) {
    throw new ParseError(`all shard ranges must use the same field, got ${quote(path)} and ${quote(other)}`);
  }
  return {
    field: requirements[0]?.field ?? 'uid',
    text: requirements.map(({ start, end }) => `shardRange(${path}, '${start}', '${end}')`).join(' || '),
    matches: shardMatcher(requirements),
  };
}

/** The requirements of a selector in the form that responses show. Undefined for any other, and for a wrong number. */
function plainRequirements(text: string): readonly Requirement[] | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const requirements: Requirement[] = [];
  PLAIN_RANGE.lastIndex = 0;
  for (let isLast = false; !isLast; ) {
    const [, path = '', start = '', end = '', or] = PLAIN_RANGE.exec(text) ?? [];
    const field = FIELDS.get(path);
    const isRight = [start, end].every((number) => number.length === END.length - 1 || number === END);
    if (field === undefined || !isRight) return undefined;
    requirements.push({ path, field, start, end });
    isLast = or === undefined;
  }
  // Errors of the syntax come first.
  return PLAIN_RANGE.lastIndex === text.length ? requirements.map(inOrder) : undefined;
}

/** Throws a ParseError. */
function parsedRequirements(text: string): readonly Requirement[] {
  // Reading an odd expression of the largest size takes more than a turn may.
  if (text.length > MAX_ODD_LENGTH && Array.from(text).length <= MAX_LENGTH) {
    throw new ParseError(
      `an expression of more than ${MAX_ODD_LENGTH} characters must have the form shardRange(PATH, 'START', 'END') || ...`,
    );
  }
  const parsed = parseExpression(text, { macros: new Map(), optionalSyntax: false });
  if (parsed instanceof ExpressionErrors) throw new ParseError(`CEL parse error: ${parsed.first ?? ''}`);
  const requirements: Requirement[] = [];
  addRequirements(parsed.root, requirements);
  return requirements;
}

/** The parser bounds the depth of an expression, and balances chains of `||`. */
function addRequirements(expression: Expression, requirements: Requirement[]): void {
  if (expression.kind !== 'call') {
    const kind = KIND_NUMBERS[expression.kind];
    throw new ParseError(`unexpected expression kind ${kind}; expected shardRange() call or || operator`);
  }
  const { name, args } = expression;
  if (name === '_||_') for (const arg of args) addRequirements(arg, requirements);
  else if (name === 'shardRange') requirements.push(requirementOf(args));
  else throw new ParseError(`unsupported function ${quote(name)}; only shardRange() and || are allowed`);
}

function requirementOf(args: readonly Expression[]): Requirement {
  const [field, first, last] = args;
  if (args.length !== 3 || field === undefined || first === undefined || last === undefined) {
    throw new ParseError(`shardRange() requires exactly 3 arguments, got ${args.length}`);
  }
  const path = pathOf(field);
  const hashed = FIELDS.get(path);
  if (hashed === undefined) {
    const supported = [...FIELDS.keys()].join(', ');
    throw new ParseError(`unsupported field path ${quote(path)}; supported: ${supported}`);
  }
  const start = hexadecimal(first, 'hexStart');
  const end = hexadecimal(last, 'hexEnd');
  return inOrder({ path, field: hashed, start, end });
}

function inOrder(requirement: Requirement): Requirement {
  const { start, end } = requirement;
  if (!isLess(start, end)) throw new ParseError(`shard range start ${start} must be less than end ${end}`);
  return requirement;
}

function pathOf(expression: Expression): string {
  const fields: string[] = [];
  let at = expression;
  for (; at.kind === 'select'; at = at.operand) fields.unshift(at.field);
  if (at.kind === 'identifier') return [at.name, ...fields].join('.');
  const got = `got expression kind ${KIND_NUMBERS[at.kind]}`;
  throw new ParseError(`shardRange() first argument: expected field path (e.g. object.metadata.uid), ${got}`);
}

/** Upstream: extractHexLiteral */
function hexadecimal(expression: Expression, name: string): string {
  if (expression.kind !== 'literal') {
    const got = `got expression kind ${KIND_NUMBERS[expression.kind]}`;
    throw new ParseError(`${name} must be a string literal (e.g. '0xff'), ${got}`);
  }
  const { value } = expression;
  if (typeof value !== 'string') throw new ParseError(`${name} must be a string literal, got ${goType(value)}`);
  if (!value.startsWith('0x')) throw new ParseError(`${name} must have '0x' prefix, got ${quote(value)}`);
  const digits = value.slice(2);
  if (digits === '') throw new ParseError(`${name}: hex value is required after '0x'`);
  const length = Buffer.byteLength(digits);
  if (length > DIGITS + 1) {
    throw new ParseError(`${name}: hex value too long (${length} chars, max ${DIGITS + 1}): ${quote(digits)}`);
  }
  const wrong = [...digits].find((digit) => !/^[0-9a-f]$/.test(digit));
  if (wrong !== undefined) throw new ParseError(`${name}: invalid hex character ${quote(wrong)} in ${quote(value)}`);
  if (length === DIGITS || value === END) return value;
  if (length > DIGITS) {
    throw new ParseError(`${name}: 17-digit hex value must be '${END}' (2^64), got ${quote(value)}`);
  }
  const meant = quote(`0x${digits.padStart(DIGITS, '0')}`);
  const must = 'must be a 0x-prefixed 16-digit hex value';
  throw new ParseError(`${name} ${must}, got ${quote(value)} (did you mean ${meant}?)`);
}

/** The type of a constant in Go. */
function goType(value: unknown): string {
  if (value === null) return 'structpb.NullValue';
  if (typeof value === 'boolean') return 'bool';
  if (value instanceof Double) return 'float64';
  if (value instanceof Uint) return 'uint64';
  return value instanceof Uint8Array ? '[]uint8' : 'int64';
}

function isLess(a: string, b: string): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}
