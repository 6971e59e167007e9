import { tryParseBool } from '@apiserver/apimachinery/text';

/**
 * The type of a flag of Go's `flag` package. `anything` is a flag without a meaning, which may stand alone like a bool.
 */
export type GoFlagType = 'string' | 'bool' | 'uint' | 'int' | 'duration' | 'anything';

/** The command line asks for the help: `-h`, `-help` or `--help`. */
export class HelpRequested extends Error {
  override readonly name = 'HelpRequested';
}

/** A command line that Go's `flag` package refuses; `message` is what it prints before the usage. */
export class GoFlagError extends Error {
  override readonly name = 'GoFlagError';
}

/** Values by flag, as they were written; the last one counts, as in Go. */
export interface GoFlags {
  readonly values: ReadonlyMap<string, string>;
  /** From the first argument on that is no flag. */
  readonly rest: readonly string[];
}

/**
 * Parses a command line by the rules of Go's `flag` package, which are not those of pflag: one dash or two, a bool
 * takes its value only behind `=`. Throws GoFlagError or HelpRequested. Upstream: flag.FlagSet.Parse
 */
export function parseGoFlags(args: readonly string[], types: ReadonlyMap<string, GoFlagType>): GoFlags {
  const values = new Map<string, string>();
  let index = 0;
  while (index < args.length) {
    const arg = args[index] ?? '';
    if (arg.length < 2 || !arg.startsWith('-')) break;
    index++;
    if (arg === '--') break;
    const { name, value: inline } = splitFlag(arg);
    const type = types.get(name);
    if (type === undefined) throw unknownFlag(name);
    const alone = type === 'bool' || type === 'anything';
    if (inline === undefined && !alone && index >= args.length) {
      throw new GoFlagError(`flag needs an argument: -${name}`);
    }
    const value = inline ?? (alone ? 'true' : (args[index++] ?? ''));
    checkGoFlag(name, type, value);
    values.set(name, value);
  }
  return { values, rest: args.slice(index) };
}

function splitFlag(arg: string): { readonly name: string; readonly value: string | undefined } {
  const text = arg.replace(/^--?/, '');
  if (text === '' || text.startsWith('-') || text.startsWith('=')) throw new GoFlagError(`bad flag syntax: ${arg}`);
  const at = text.indexOf('=');
  return at < 0 ? { name: text, value: undefined } : { name: text.slice(0, at), value: text.slice(at + 1) };
}

function unknownFlag(name: string): Error {
  const isHelp = name === 'help' || name === 'h';
  return isHelp ? new HelpRequested() : new GoFlagError(`flag provided but not defined: -${name}`);
}

function checkGoFlag(name: string, type: GoFlagType, value: string): void {
  const problem = goValueProblem(type, value);
  if (problem === undefined) return;
  const what =
    type === 'bool'
      ? `invalid boolean value ${JSON.stringify(value)} for`
      : `invalid value ${JSON.stringify(value)} for flag`;
  throw new GoFlagError(`${what} -${name}: ${problem}`);
}

/** The reason why Go cannot read the value as that type; undefined if it can. */
export function goValueProblem(type: GoFlagType, value: string): string | undefined {
  return readable[type](value) ? undefined : 'parse error';
}

const readable: Readonly<Record<GoFlagType, (value: string) => boolean>> = {
  string: () => true,
  anything: () => true,
  bool: (value) => tryParseBool(value) !== undefined,
  uint: (value) => /^(0[xX][\da-fA-F]+|\d+)$/.test(value),
  int: (value) => /^[+-]?(0[xX][\da-fA-F]+|\d+)$/.test(value),
  duration: (value) => /^[+-]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(value),
};

/** The value of a bool flag that was checked. Upstream: strconv.ParseBool */
export function goBool(value: string | undefined): boolean {
  return value !== undefined && tryParseBool(value) === true;
}
