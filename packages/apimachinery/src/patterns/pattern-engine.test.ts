import { beforeAll, describe, expect, it } from 'vitest';
import { type CompilePattern, loadPatternEngine, PatternError } from './pattern-engine.js';

let compilePattern: CompilePattern;
beforeAll(async () => {
  compilePattern = await loadPatternEngine();
});

describe('accepts the patterns that Go 1.26 accepts', () => {
  it.each([
    ['(?P<a>x)(?P<a>y)', 'xy', 'x'],
    ['(?<a>x)|(?<a>y)', 'y', 'z'],
    ['^(?P<a>\\(\\?P<b>)(?P<a>[(?<c>])$', '(?P<b>?', 'x'],
    ['^\\p{Letter}+$', 'äb', 'a1'],
    ['^\\p{uppercase_letter}\\pl$', 'Ab', 'ab'],
    ['^\\p{lu}\\p{greek}$', 'Aβ', 'ββ'],
    ['^[\\p{^Letter}b]$', 'b', 'a'],
    ['^\\P{digit}$', 'a', '1'],
    ['^\\p{ASCII}[\\P{ascii}]$', 'aä', 'aa'],
    ['^[]\\p{ASCII}]$', 'a', 'ä'],
    ['^[lph[:]+$', '[:p', ']'],
    ['^[:][x[:]$', ':[', '[:'],
    ['^\\Q\\p{Foo}\\E$', '\\p{Foo}', 'a'],
  ])('%s matches %j, and not %j', (pattern, yes, no) => {
    const matches = compilePattern(pattern);
    expect([matches(yes), matches(no)]).toEqual([true, false]);
  });

  it.each([
    ['\\', 'trailing backslash at end of expression: ``'],
    ['[\\', 'trailing backslash at end of expression: ``'],
    ['\\p{Foo}', 'invalid character class range: `\\p{Foo}`'],
    ['\\p{Old_Italic}', 'invalid character class range: `\\p{Old_Italic}`'],
    ['\\p{Lu}\\P{Foo}', 'invalid character class range: `\\P{Foo}`'],
    ['(?P<a>x)(?P<a>y', 'missing closing ): `(?P<a>x)(?P<a>y`'],
    ['(?P<>x)', 'invalid named capture: `(?P<>`'],
    ['(?P<', 'invalid or unsupported Perl syntax: `(?P`'],
    ['x(?<', 'invalid or unsupported Perl syntax: `(?<`'],
    ['(?<a', 'invalid named capture: `(?<a`'],
  ])('%s is refused', (pattern, why) => {
    expect(() => compilePattern(pattern)).toThrow(new PatternError(`error parsing regexp: ${why}`));
  });
});

it('keeps what it has compiled, until too much came later', () => {
  const first = compilePattern('^kept$');
  const again = compilePattern('^kept$');
  const others = Array.from({ length: 300 }, (_, i) => compilePattern(`^[a-z]{900}${i}$`));
  expect([
    again === first,
    compilePattern('^[a-z]{900}299$') === others.at(-1),
    compilePattern('^kept$') === first,
  ]).toEqual([true, true, false]);
});
