import { beforeAll, describe, expect, it } from 'vitest';
import {
  type CompilePattern,
  type FindPattern,
  loadPatternEngine,
  newPatternBudget,
  PatternError,
} from './pattern-engine.js';

let compile: CompilePattern<FindPattern>;
beforeAll(async () => {
  compile = await loadPatternEngine();
});

/** All matches, as a caller iterates over them. */
function findAll(pattern: string, text: string): (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  const search = compile(pattern);
  for (let at = 0; at <= text.length; ) {
    const match = search.find(text, at);
    if (match === undefined) break;
    found.push([match.start, match.end]);
    at = match.end > at ? match.end : at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
  }
  return found;
}

describe('find', () => {
  it.each<[string, string, readonly (readonly [number, number])[]]>([
    ['a|ab', 'xab', [[1, 2]]],
    ['ab|a', 'xab', [[1, 3]]],
    [
      'a+?',
      'aaa',
      [
        [0, 1],
        [1, 2],
        [2, 3],
      ],
    ],
    ['^a', 'aa', [[0, 1]]],
    [
      '(?m)^a',
      'aa\na',
      [
        [0, 1],
        [3, 4],
      ],
    ],
    ['\\bb', 'ab b', [[3, 4]]],
    [
      'abc',
      'xabcabc',
      [
        [1, 4],
        [4, 7],
      ],
    ],
    [
      '.',
      '😀a',
      [
        [0, 2],
        [2, 3],
      ],
    ],
    ['x', 'abc', []],
  ])('finds %s in %j', (pattern, text, expected) => {
    expect(findAll(pattern, text)).toEqual(expected);
  });

  it('rejects searches that together take too long', () => {
    const [search, budget, text] = [compile('[^b]*b|a'), newPatternBudget(), 'a'.repeat(100_000)];
    const all = () => {
      for (let at = 0; at < text.length; at++) search.find(text, at, budget);
    };
    expect(all).toThrow(PatternError);
  });
});
