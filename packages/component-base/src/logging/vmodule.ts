import { ParseError, quote } from '@apiserver/apimachinery/text';

/** `pattern=level` pairs: loggers whose name matches have their own verbosity. `*` and `?` are wildcards. */
export interface VModulePattern {
  readonly pattern: string;
  readonly level: number;
}

/**
 * Parses `--vmodule`. Throws a ParseError with upstream's text for anything but `pattern=N`.
 * Upstream: k8s.io/component-base/logs/api/v1.VModuleConfigurationPflag
 */
export function parseVModule(text: string): readonly VModulePattern[] {
  return text
    .split(',')
    .filter((item) => item !== '')
    .map((item) => {
      const [pattern = '', level = '', ...more] = item.split('=');
      if (pattern === '' || level === '' || more.length > 0) {
        throw new ParseError(`${quote(item)} does not have the pattern=N format`);
      }
      return { pattern, level: parseVerbosity(level, `parsing verbosity in ${quote(item)}: `) };
    });
}

/** Reads a level: digits, at most 31 bits. Throws a ParseError with strconv's text behind `prefix`. */
export function parseVerbosity(text: string, prefix = ''): number {
  const problem = !/^\d+$/.test(text) ? 'invalid syntax' : Number(text) >= 2 ** 31 ? 'value out of range' : undefined;
  if (problem === undefined) return Number(text);
  throw new ParseError(`${prefix}strconv.ParseUint: parsing ${quote(text)}: ${problem}`);
}

/** The patterns as the flag `--vmodule` takes them. */
export function formatVModule(patterns: readonly VModulePattern[]): string {
  return patterns.map(({ pattern, level }) => `${pattern}=${level}`).join(',');
}

/** The verbosity of a logger by the first pattern that matches its name; undefined when none does. */
export function pinnedVerbosity(name: string, patterns: readonly VModulePattern[]): number | undefined {
  return patterns.find(({ pattern }) => wildcard(pattern).test(name))?.level;
}

function wildcard(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`);
}
