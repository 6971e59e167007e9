import { RE2JS } from 're2js';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type CompilePattern,
  compileTogether,
  type FindPattern,
  loadPatternEngine,
  newPatternBudget,
  PatternError,
} from './pattern-engine.js';

function randomNumbers(start: number): (below: number) => number {
  let seed = start;
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

let compile: CompilePattern<FindPattern>;
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

  // Without a bound this takes seconds.
  const random = randomNumbers(1);
  const unlike = (length: number) => Array.from({ length }, () => 'ab'[random(2)]).join('');

  it('rejects a text for which a pattern has too many states', () => {
    expect(() => compile('^[ab]*a[ab]{20}$')(unlike(1_000_000))).toThrow(PatternError);
  });

  it('rejects many short texts for which a pattern has too many states', () => {
    const matches = compile('[ab]*a[ab]{200}$');
    const texts = Array.from({ length: 1_000 }, () => unlike(300));
    const budget = newPatternBudget();
    expect(() => texts.map((text) => matches(text, budget))).toThrow(PatternError);
    expect(texts.slice(0, 20).map((text) => matches(text))).toEqual(
      Array(20)
        .fill(true)
        .map((_, i) => /a[ab]{200}$/.test(texts[i] ?? '')),
    );
  });

  it('rejects many patterns of a long text', () => {
    const [text, budget] = ['a'.repeat(1_000_000), newPatternBudget()];
    const match = (i: number) => compile(`^[a-z]*${i}?$`)(text, budget);
    expect([match(1), match(2), match(3)]).toEqual([true, true, true]);
    expect(() => Array.from({ length: 100 }, (_, i) => match(i))).toThrow('it would take too long');
  });

  it.each<[string, (i: number) => string]>([
    [
      '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$',
      (i) => `name-${i}.of.a-host.example.com`,
    ],
    ['^.{1,1000}$', (i) => 'x'.repeat(i % 900) + i],
    ['^(\\d+(\\.\\d+)?(ms|s|m|h))+$', (i) => `${i}h${i}m3.5s`],
    ['\\b(error|warning)\\b.{0,80}:', (i) => `an error number ${i}, of ${'many '.repeat(10)}: why`],
  ])('takes thousands of texts that match %s', (pattern, text) => {
    const [matches, budget] = [compile(pattern), newPatternBudget()];
    for (let i = 0; i < 5_000; i++) expect(matches(text(i), budget)).toBe(true);
  });

  it('compiles a bounded number of costly patterns together, and any number of equal ones', () => {
    const costly = compileTogether(compile);
    expect(() => Array.from({ length: 100 }, (_, i) => costly(`(?:a{1,1000})${i}`))).toThrow(PatternError);
    const usual = compileTogether(compile);
    const quantity =
      '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';
    for (let i = 0; i < 10_000; i++) usual(quantity);
    for (let i = 0; i < 500; i++) usual(`^[a-z0-9]([-a-z0-9]{0,${i % 60}}[a-z0-9])?${i}$`);
  });

  it('refuses a pattern of too many instructions before compiling it', () => {
    const compiled: string[] = [];
    const together = compileTogether((pattern) => {
      compiled.push(pattern);
      return compile(pattern);
    });
    expect(() => together('(?:a{1,30}){30}'.repeat(100))).toThrow(PatternError);
    together('(?:a{1,30}){30}');
    expect(compiled).toEqual(['(?:a{1,30}){30}']);
  });

  it('matches and finds like the engine', () => {
    const random = randomNumbers(5);
    const atoms =
      'a b [ab] [^a] . \\b \\B ^ $ \\n (?m:^) (?m:$) \\w \\W (?i:K) é \\pL (?s:.) \\d a{2,3} \\A \\z x 😀'.split(' ');
    const characters = ['a', 'b', 'A', '\n', 'é', ' ', 'x', '1', '😀', '_', '\ud800', '\u212a'];
    const one = (depth: number): string => {
      switch (random(depth > 3 ? 2 : 6)) {
        case 2:
          return `(?:${one(depth + 1)}|${one(depth + 1)})`;
        case 3:
          return `(${one(depth + 1)})${['*', '+', '?', '{0,3}', '{2}'][random(5)]}`;
        case 4:
          return one(depth + 1) + one(depth + 1);
        case 5:
          return one(depth + 1) + one(depth + 1) + one(depth + 1);
        default:
          return atoms[random(atoms.length)] ?? '';
      }
    };
    for (let i = 0; i < 1_000; i++) {
      const pattern = one(0);
      const [matches, engine] = [compile(pattern), RE2JS.compile(pattern)];
      for (let k = 0; k < 6; k++) {
        const text = Array.from({ length: random(12) }, () => characters[random(characters.length)]).join('');
        expect([pattern, text, matches(text)]).toEqual([pattern, text, engine.test(text)]);
        const matcher = engine.matcher(text);
        const found = matcher.find() ? { start: matcher.start(), end: matcher.end() } : undefined;
        expect([pattern, text, matches.find(text)]).toEqual([pattern, text, found]);
      }
    }
  });

  it.each(['(a{1000}){2}', '((a{100}){10}){2}', 'a{1001}'])('refuses the repetition of %s, as upstream', (pattern) => {
    expect(() => compile(pattern)).toThrow('invalid repeat count');
  });
});
