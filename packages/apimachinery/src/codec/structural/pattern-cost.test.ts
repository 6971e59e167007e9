import { beforeAll, describe, expect, it } from 'vitest';
import { type CompilePattern, loadPatternEngine, PatternError } from './pattern-engine.js';

let compile: CompilePattern;
beforeAll(async () => {
  compile = await loadPatternEngine();
});

describe('loadPatternEngine', () => {
  it.each<[string, string, boolean]>([
    ['b', 'abc', true],
    ['^b', 'abc', false],
    ['^[a-z]+$', 'a'.repeat(1_000_000), true],
    ['^(a|b)*c|(a|ab)*d$', `${'ab'.repeat(500_000)}d`, true],
    ['(?:a{1,1000}){1,1}$', `${'a'.repeat(300_000)}b`, false],
    ['^[ab]*a[ab]{20}$', `${'ab'.repeat(100)}c`, false],
  ])('%s', (pattern, text, matches) => {
    expect(compile(pattern)(text)).toBe(matches);
  });

  it('refuses a text for which a pattern has too many states', () => {
    // Without a bound this takes half a minute.
    let seed = 1;
    const random = () => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return seed >>> 16;
    };
    const text = Array.from({ length: 3_000_000 }, () => (random() % 2 === 0 ? 'a' : 'b')).join('');
    expect(() => compile('^[ab]*a[ab]{20}$')(text)).toThrow(PatternError);
  });

  it.each(['(a{1000}){2}', '((a{100}){10}){2}', 'a{1001}'])('refuses the repetition of %s, as upstream', (pattern) => {
    expect(() => compile(pattern)).toThrow('invalid repeat count');
  });
});
