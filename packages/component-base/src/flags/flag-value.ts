import { isIP } from 'node:net';
import { formatGoFloat, ParseError, parseBool, quote } from '@apiserver/apimachinery/text';
import { readCsvRecord, writeCsvRecord } from './csv-record.js';
import { formatGoDuration, parseGoDuration } from './go-duration.js';
import { parseGoFloat } from './parse-go-float.js';

/**
 * Where a flag's value lives: a field of an options object, read for the default and written when the flag is given.
 */
export interface FlagTarget<V> {
  get(): V;
  set(value: V): void;
}

/** A flag's value as the parser and the help see it. */
export interface FlagValue {
  /** Upstream's name of the type, shown in the help: string, int, duration, strings, bool, ip, float and others. */
  readonly typeName: string;
  /** True for booleans, which need no value. */
  readonly isBoolean: boolean;
  /** Takes one occurrence of the flag. Throws a ParseError with pflag's text. */
  set(text: string): void;
  /** The present value as pflag prints it. */
  toString(): string;
  /** The default as the help shows it, undefined for a zero value, which the help leaves out. */
  readonly defaultText: string | undefined;
}

/** Names a field of an options object as the place of a flag's value. */
export function field<T extends object, K extends keyof T>(object: T, key: K): FlagTarget<T[K]> {
  return new FieldTarget(object, key);
}

class FieldTarget<T extends object, K extends keyof T> implements FlagTarget<T[K]> {
  readonly #object: T;
  readonly #key: K;

  constructor(object: T, key: K) {
    this.#object = object;
    this.#key = key;
  }

  get(): T[K] {
    return this.#object[this.#key];
  }

  set(value: T[K]): void {
    this.#object[this.#key] = value;
  }
}

interface Scalar<V> {
  readonly typeName: string;
  parse(text: string): V;
  format(value: V): string;
  isZero(value: V): boolean;
  /** Reports whether a text leaves the value as it is. */
  keepsValue?(text: string): boolean;
  /** As the help shows a default; strings are quoted. */
  formatDefault?(value: V): string;
}

/** A class, and one kind for all flags of a type: a process may hold the flags of many servers. */
class ScalarValue<V> implements FlagValue {
  readonly #target: FlagTarget<V>;
  readonly #kind: Scalar<V>;
  readonly #initial: V;

  constructor(target: FlagTarget<V>, kind: Scalar<V>) {
    this.#target = target;
    this.#kind = kind;
    this.#initial = target.get();
  }

  get typeName(): string {
    return this.#kind.typeName;
  }

  get isBoolean(): boolean {
    return this.#kind.typeName === 'bool';
  }

  get defaultText(): string | undefined {
    const kind = this.#kind;
    if (kind.isZero(this.#initial)) return undefined;
    return (kind.formatDefault ?? kind.format)(this.#initial);
  }

  set(text: string): void {
    if (this.#kind.keepsValue?.(text) !== true) this.#target.set(this.#kind.parse(text));
  }

  toString(): string {
    return this.#kind.format(this.#target.get());
  }
}

const isZeroNumber = (value: number): boolean => value === 0;

const stringKind: Scalar<string> = {
  typeName: 'string',
  parse: (text) => text,
  format: (value) => value,
  formatDefault: (value) => quote(value),
  isZero: (value) => value === '',
};
const intKind: Scalar<number> = {
  typeName: 'int',
  parse: (text) => parseGoInt(text),
  format: String,
  isZero: isZeroNumber,
};
const uintKind: Scalar<number> = {
  typeName: 'uint',
  parse: (text) => parseGoInt(text, 'ParseUint'),
  format: String,
  isZero: isZeroNumber,
};
const floatKind: Scalar<number> = {
  typeName: 'float',
  parse: parseGoFloat,
  format: formatGoFloat,
  isZero: isZeroNumber,
};
const boolKind: Scalar<boolean> = {
  typeName: 'bool',
  parse: parseBool,
  format: String,
  isZero: (value) => !value,
};
const durationKind: Scalar<number> = {
  typeName: 'duration',
  parse: parseGoDuration,
  format: formatGoDuration,
  isZero: isZeroNumber,
};
const ipKind: Scalar<string> = {
  typeName: 'ip',
  parse: (text) => {
    const trimmed = text.trim();
    // Node also takes a zone.
    if (isIP(trimmed) === 0 || trimmed.includes('%')) throw new ParseError(`failed to parse IP: ${quote(text)}`);
    return trimmed;
  },
  format: (value) => (value === '' ? '<nil>' : value),
  isZero: (value) => value === '',
  keepsValue: (text) => text === '',
};

/** Any text. */
export const stringValue = (target: FlagTarget<string>): FlagValue => new ScalarValue(target, stringKind);

/** A whole number, in the notations that Go takes. */
export const intValue = (target: FlagTarget<number>): FlagValue => new ScalarValue(target, intKind);

/** A whole number from 0 on. Upstream: pflag.UintVar */
export const uintValue = (target: FlagTarget<number>): FlagValue => new ScalarValue(target, uintKind);

/** A number, in the notations that Go takes. */
export const floatValue = (target: FlagTarget<number>): FlagValue => new ScalarValue(target, floatKind);

/** Without a value it means true. */
export const boolValue = (target: FlagTarget<boolean>): FlagValue => new ScalarValue(target, boolKind);

/** Durations are milliseconds in the options and Go's notation on the command line. */
export const durationValue = (target: FlagTarget<number>): FlagValue => new ScalarValue(target, durationKind);

/** An IP address as text; "" for none. */
export const ipValue = (target: FlagTarget<string>): FlagValue => new ScalarValue(target, ipKind);

/**
 * Comma-separated and repeatable: the first occurrence replaces the default, the next ones append.
 * Upstream: pflag.StringSliceVar
 */
export function stringSliceValue(target: FlagTarget<readonly string[]>): FlagValue {
  const initial = target.get();
  let given = false;
  return {
    typeName: 'strings',
    isBoolean: false,
    set: (text) => {
      const values = text === '' ? [] : readCsvRecord(text);
      target.set(given ? [...target.get(), ...values] : values);
      given = true;
    },
    toString: () => `[${writeCsvRecord(target.get())}]`,
    defaultText: initial.length === 0 ? undefined : `[${writeCsvRecord(initial)}]`,
  };
}

/** Whole numbers of 32 bits, comma-separated and repeatable. Upstream: pflag.Int32SliceVar */
export function int32SliceValue(target: FlagTarget<readonly number[]>): FlagValue {
  let given = false;
  return {
    typeName: 'int32Slice',
    isBoolean: false,
    set: (text) => {
      const values = text.split(',').map(parseGoInt32);
      target.set(given ? [...target.get(), ...values] : values);
      given = true;
    },
    toString: () => `[${target.get().join(',')}]`,
    // pflag does not take an empty list of this kind for a zero value.
    defaultText: `[${target.get().join(',')}]`,
  };
}

/**
 * Repeatable, commas stand for themselves: the first occurrence replaces the default. Upstream: pflag.StringArrayVar
 */
export function stringArrayValue(target: FlagTarget<readonly string[]>): FlagValue {
  const initial = target.get();
  let given = false;
  return {
    typeName: 'stringArray',
    isBoolean: false,
    set: (text) => {
      target.set(given ? [...target.get(), text] : [text]);
      given = true;
    },
    toString: () => `[${writeCsvRecord(target.get())}]`,
    defaultText: initial.length === 0 ? undefined : `[${writeCsvRecord(initial)}]`,
  };
}

/**
 * Repeatable `key=value`, commas stand for themselves: the first occurrence replaces the default.
 * Upstream: k8s.io/component-base/cli/flag.NewMapStringStringNoSplit
 */
export function stringMapValue(target: FlagTarget<Readonly<Record<string, string>>>): FlagValue {
  const format = () =>
    Object.entries(target.get())
      .map(([key, value]) => `${key}=${value}`)
      .sort()
      .join(',');
  const initial = format();
  let given = false;
  return {
    typeName: 'mapStringString',
    isBoolean: false,
    set: (text) => {
      const at = text.indexOf('=');
      if (at < 0) throw new ParseError('malformed pair, expect string=string');
      target.set({ ...(given ? target.get() : {}), [text.slice(0, at).trim()]: text.slice(at + 1).trim() });
      given = true;
    },
    toString: format,
    defaultText: initial === '' ? undefined : initial,
  };
}

/**
 * Pairs `key=value`, comma-separated and repeatable. A single pair may have commas. Upstream: pflag.StringToStringVar
 */
export function stringToStringValue(target: FlagTarget<Readonly<Record<string, string>>>): FlagValue {
  let given = false;
  return {
    typeName: 'stringToString',
    isBoolean: false,
    set: (text) => {
      const pairs = splitPairs(text).map(splitPair);
      target.set({ ...(given ? target.get() : {}), ...Object.fromEntries(pairs) });
      given = true;
    },
    toString: () => {
      const pairs = Object.entries(target.get()).sort(([a], [b]) => (a < b ? -1 : 1));
      return `[${writeCsvRecord(pairs.map((pair) => pair.join('=')))}]`;
    },
    defaultText: '[]',
  };
}

function splitPairs(text: string): readonly string[] {
  const signs = text.split('=').length - 1;
  if (signs === 0) throw pairError(text);
  return signs === 1 ? [text.replaceAll(/^"+|"+$/g, '')] : readCsvRecord(text);
}

function splitPair(pair: string): [key: string, value: string] {
  const at = pair.indexOf('=');
  if (at < 0) throw pairError(pair);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

function pairError(pair: string): ParseError {
  return new ParseError(`${pair} must be formatted as key=value`);
}

/** A sign, and digits of any base, which single underscores may separate. */
const GO_INTEGER =
  /^([+-]?)(0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|0(?:_?[0-7])*|[1-9](?:_?[0-9])*)$/;

function parseGoInt(text: string, parser: 'ParseInt' | 'ParseUint' = 'ParseInt'): number {
  const match = GO_INTEGER.exec(text);
  if (match === null || (parser === 'ParseUint' && match[1] !== '')) {
    throw new ParseError(`strconv.${parser}: parsing ${quote(text)}: invalid syntax`);
  }
  const digits = (match[2] ?? '').replaceAll('_', '').replace(/^0(?=[0-7])/, '0o');
  const value = Number(digits);
  if (!Number.isSafeInteger(value)) {
    throw new ParseError(`strconv.${parser}: parsing ${quote(text)}: value out of range`);
  }
  return match[1] === '-' ? 0 - value : value;
}

function parseGoInt32(text: string): number {
  const value = parseGoInt(text);
  if (value !== (value | 0)) throw new ParseError(`strconv.ParseInt: parsing ${quote(text)}: value out of range`);
  return value;
}
