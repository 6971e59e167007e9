import { parseArgs } from 'node:util';
import { messageOf } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import {
  boolValue,
  durationValue,
  type FlagTarget,
  type FlagValue,
  floatValue,
  intValue,
  ipValue,
  stringSliceValue,
  stringValue,
  uintValue,
} from './flag-value.js';

/** A command line that cannot be parsed. `message` is pflag's or cobra's text after "Error: ". */
export class FlagError extends Error {
  override readonly name = 'FlagError';
}

/** A declared flag, and its state on the command line. */
export interface Flag {
  readonly name: string;
  /** One letter, or "". */
  readonly shorthand: string;
  readonly usage: string;
  readonly value: FlagValue;
  /** Reason of the deprecation; the use of the flag is reported. "" if it is not deprecated. */
  readonly deprecated: string;
  /** True if the help leaves the flag out. */
  readonly hidden: boolean;
  /** Reason for which the flag is accepted but changes nothing; "" for all others. */
  readonly noEffect: string;
  /** True once the command line set it. */
  changed: boolean;
}

/** Properties of a flag besides its name, place and usage. */
export interface FlagExtras {
  readonly shorthand?: string;
  /** The reason. The help leaves the flag out, unless `hidden` is false. */
  readonly deprecated?: string;
  readonly hidden?: boolean;
  /** The reason for which the flag is accepted but changes nothing. A server logs it for each given flag. */
  readonly noEffect?: string;
}

/**
 * A section of flags. Options objects add their flags to one; the values go straight into the options' fields.
 * Upstream: github.com/spf13/pflag.FlagSet
 */
export class FlagSet {
  readonly #flags = new Map<string, Flag>();

  string(name: string, target: FlagTarget<string>, usage: string, extras?: FlagExtras): void {
    this.add(name, stringValue(target), usage, extras);
  }

  int(name: string, target: FlagTarget<number>, usage: string, extras?: FlagExtras): void {
    this.add(name, intValue(target), usage, extras);
  }

  /** A whole number that is not negative. */
  uint(name: string, target: FlagTarget<number>, usage: string, extras?: FlagExtras): void {
    this.add(name, uintValue(target), usage, extras);
  }

  float(name: string, target: FlagTarget<number>, usage: string, extras?: FlagExtras): void {
    this.add(name, floatValue(target), usage, extras);
  }

  bool(name: string, target: FlagTarget<boolean>, usage: string, extras?: FlagExtras): void {
    this.add(name, boolValue(target), usage, extras);
  }

  /** The field holds milliseconds. */
  duration(name: string, target: FlagTarget<number>, usage: string, extras?: FlagExtras): void {
    this.add(name, durationValue(target), usage, extras);
  }

  ip(name: string, target: FlagTarget<string>, usage: string, extras?: FlagExtras): void {
    this.add(name, ipValue(target), usage, extras);
  }

  stringSlice(name: string, target: FlagTarget<readonly string[]>, usage: string, extras?: FlagExtras): void {
    this.add(name, stringSliceValue(target), usage, extras);
  }

  /**
   * Declares a flag of any kind. Pass a function for a usage that is expensive to format. Throws if the name is taken,
   * because two options that share a flag are a bug.
   */
  add(name: string, value: FlagValue, usage: string | (() => string), extras: FlagExtras = {}): void {
    if (this.#flags.has(name)) throw new Error(`flag redefined: ${name}`);
    const { shorthand = '', deprecated = '', hidden = deprecated !== '', noEffect = '' } = extras;
    const flag = { name, shorthand, value, deprecated, hidden, noEffect, changed: false };
    this.#flags.set(name, typeof usage === 'string' ? { ...flag, usage } : new LazilyDescribedFlag(flag, usage));
  }

  /** Every flag, by name. */
  flags(): readonly Flag[] {
    return [...this.#flags.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** A flag whose usage is made on demand. */
class LazilyDescribedFlag implements Flag {
  readonly name: string;
  readonly shorthand: string;
  readonly value: FlagValue;
  readonly deprecated: string;
  readonly hidden: boolean;
  readonly noEffect: string;
  changed: boolean;
  readonly #usage: () => string;

  constructor(flag: Omit<Flag, 'usage'>, usage: () => string) {
    this.name = flag.name;
    this.shorthand = flag.shorthand;
    this.value = flag.value;
    this.deprecated = flag.deprecated;
    this.hidden = flag.hidden;
    this.noEffect = flag.noEffect;
    this.changed = flag.changed;
    this.#usage = usage;
  }

  get usage(): string {
    return this.#usage();
  }
}

/** Results of parsing a command line besides the values in the options' fields. */
export interface ParsedFlags {
  readonly positionals: readonly string[];
  /** One line per deprecated flag that was given, to be written to stderr. */
  readonly deprecations: readonly string[];
}

/**
 * The flags of a command in named sections, in order of their first use.
 * Upstream: k8s.io/component-base/cli/flag.NamedFlagSets
 */
export class NamedFlagSets {
  readonly #sections = new Map<string, FlagSet>();

  /** The section of that name, made on first use. */
  section(name: string): FlagSet {
    const known = this.#sections.get(name);
    if (known !== undefined) return known;
    const created = new FlagSet();
    this.#sections.set(name, created);
    return created;
  }

  sections(): ReadonlyMap<string, FlagSet> {
    return this.#sections;
  }

  /** Every flag of every section, by name: for the log of a start. */
  all(): readonly Flag[] {
    return [...this.#sections.values()]
      .flatMap((section) => section.flags())
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * Reads a command line (without program name) into the options' fields. Throws a FlagError for the first fault, as
   * pflag does. "--name=value", "--name value" and, for booleans, "--name" are understood; "_" in a name counts as "-".
   */
  parse(args: readonly string[]): ParsedFlags {
    const flags = this.all();
    const byName = new Map(flags.map((flag) => [flag.name, flag]));
    const positionals: string[] = [];
    const deprecations: string[] = [];
    for (const token of tokenize(args, flags)) {
      if (token.kind === 'positional') positionals.push(token.value);
      if (token.kind !== 'option') continue;
      const flag = byName.get(token.name);
      if (flag === undefined) throw unknownFlag(token, args[token.index] ?? '');
      setFlag(flag, token);
      if (flag.deprecated !== '') deprecations.push(`Flag --${flag.name} has been deprecated, ${flag.deprecated}`);
    }
    return { positionals, deprecations };
  }
}

interface OptionToken {
  readonly kind: 'option';
  readonly name: string;
  readonly rawName: string;
  readonly index: number;
  readonly value: string | undefined;
}

function tokenize(args: readonly string[], flags: readonly Flag[]) {
  const options = Object.fromEntries(
    flags.map((flag) => [
      flag.name,
      {
        type: flag.value.isBoolean ? ('boolean' as const) : ('string' as const),
        ...(flag.shorthand === '' ? {} : { short: flag.shorthand }),
      },
    ]),
  );
  const normalized = normalizeNames(args);
  return parseArgs({ args: normalized, options, strict: false, tokens: true, allowPositionals: true }).tokens;
}

/** Writes "--some_flag" as "--some-flag", up to a bare "--". Upstream: WordSepNormalizeFunc */
function normalizeNames(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  return args.map((arg, index) => {
    if (!arg.startsWith('--') || (end >= 0 && index >= end)) return arg;
    const [name = '', ...value] = arg.split('=');
    return [name.replaceAll('_', '-'), ...value].join('=');
  });
}

function setFlag(flag: Flag, token: OptionToken): void {
  const short = !token.rawName.startsWith('--');
  const inline = short && token.value?.startsWith('=') ? token.value.slice(1) : token.value;
  const text = inline ?? (flag.value.isBoolean ? 'true' : undefined);
  if (text === undefined) {
    throw new FlagError(
      `flag needs an argument: ${short ? `'${flag.shorthand}' in -${flag.shorthand}` : `--${flag.name}`}`,
    );
  }
  try {
    flag.value.set(text);
  } catch (error) {
    const shown = flag.shorthand === '' ? `--${flag.name}` : `-${flag.shorthand}, --${flag.name}`;
    const why = messageOf(error);
    throw new FlagError(`invalid argument ${quote(text)} for ${quote(shown)} flag: ${why}`);
  }
  flag.changed = true;
}

function unknownFlag(token: OptionToken, arg: string): FlagError {
  if (token.rawName.startsWith('--')) {
    const name = arg.split('=', 1)[0] ?? arg;
    return new FlagError(/^--($|-)/.test(name) ? `bad flag syntax: ${arg}` : `unknown flag: ${name}`);
  }
  return new FlagError(`unknown shorthand flag: '${token.name}' in ${arg}`);
}
