/** A clause of a format string: `%s`, `%d`, `%.3f` … */
export interface FormatClause {
  readonly verb: 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o';
  readonly precision: number | undefined;
}

/** A format string or an argument is wrong. The message is upstream's. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
  /** The node of the argument at fault, where the format string is checked before it is used. */
  readonly at: number | undefined;

  constructor(message: string, at?: number) {
    super(message);
    this.at = at;
  }
}

/** The arguments of a format string. */
export interface FormatArguments {
  /** Number of arguments. */
  readonly size: number;
  /** Takes the next argument. Throws a FormatError if there is none. */
  take(index: number): void;
  /** The text of an argument by a clause. Throws a FormatError. */
  format(index: number, clause: FormatClause): string;
}

const MAX_PRECISION = 2 ** 63;

/**
 * Fills in a format string. Throws a FormatError.
 *
 * Upstream: parseFormatString in github.com/google/cel-go/ext/formatting.go
 */
export function fillFormat(text: string, args: FormatArguments): string {
  let result = '';
  let index = 0;
  let at = 0;
  for (;;) {
    const next = text.indexOf('%', at);
    if (next < 0) return result + text.slice(at);
    result += text.slice(at, next);
    if (text[next + 1] === '%') {
      result += '%';
      at = next + 2;
      continue;
    }
    args.take(index);
    if (next + 1 >= text.length) throw new FormatError('unexpected end of string');
    if (index >= args.size) throw new FormatError(`index ${index} out of range`);
    const { clause, end } = readClause(text, next + 1);
    result += formatArgument(args, index, clause);
    index++;
    at = end;
  }
}

function formatArgument(args: FormatArguments, index: number, clause: FormatClause): string {
  try {
    return args.format(index, clause);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new FormatError(`error during formatting: ${error.message}`, error.at);
  }
}

function readClause(text: string, start: number): { readonly clause: FormatClause; readonly end: number } {
  let at = start;
  let precision: number | undefined;
  if (text[at] === '.') {
    const digits = /\.([0-9]*)/y;
    digits.lastIndex = at;
    const [, read = ''] = digits.exec(text) ?? [];
    at = digits.lastIndex;
    if (at >= text.length) throw precisionError('could not find end of precision specifier');
    precision = readPrecision(read);
  }
  const verb = text[at];
  switch (verb) {
    case 's':
    case 'd':
    case 'f':
    case 'e':
    case 'b':
    case 'x':
    case 'X':
    case 'o':
      return { clause: { verb, precision }, end: at + 1 };
    default:
      throw new FormatError(
        `could not parse formatting clause: unrecognized formatting clause "${firstByte(text, at)}"`,
      );
  }
}

function readPrecision(digits: string): number {
  const value = Number(digits);
  const fault = digits === '' ? 'invalid syntax' : value >= MAX_PRECISION ? 'value out of range' : undefined;
  if (fault === undefined) return value;
  throw precisionError(`error while converting precision to integer: strconv.Atoi: parsing "${digits}": ${fault}`);
}

function precisionError(message: string): FormatError {
  return new FormatError(`could not parse formatting clause: error while parsing precision: ${message}`);
}

/** Upstream reads bytes: it names a character by the first byte of its UTF-8. */
function firstByte(text: string, at: number): string {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return String.fromCodePoint(Buffer.from(character)[0] ?? 0);
}
