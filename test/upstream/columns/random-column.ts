import type { Json, JsonObject } from '@apiserver/apimachinery';
import type { Random } from '../../watch/random.ts';

const NAMES = ['a', 'b', 'a-b', 'é', 'a.b', '0', 'x/y', 'a b'] as const;
const VALUES: readonly [Json, ...Json[]] = [
  ...['', 'x', 'True', '1', '2024-01-02T03:04:05Z', '2999-01-02T03:04:05Z', '2024-01-02', 'null', 'a"b', 'é<&>'],
  ...[0, 1, -1, 42, 1.5, -0.25, 1e21, 1e-7, 9_007_199_254_740_991],
  ...[true, false, null, [], {}],
] as [Json, ...Json[]];
const OPERATORS = ['==', '!=', '<', '<=', '>', '>=', '=', '!', '=~', ''] as const;
const INDICES = [
  '0',
  '1',
  '-1',
  '2',
  '99',
  '*',
  ':',
  '0:1',
  '1:',
  ':-1',
  '-2:',
  '::2',
  '0:9:2',
  '::0',
  '::-1',
  ' 0',
  '1x',
  '',
] as const;

/** An object whose members have the names that paths have. */
export function randomMembers(random: Random, depth: number): JsonObject {
  return Object.fromEntries(
    Array.from({ length: random.below(4) }, () => [random.of(NAMES), randomValue(random, depth)] as const),
  );
}

function randomValue(random: Random, depth: number): Json {
  if (depth === 0 || random.chance(0.3)) return random.of(VALUES);
  if (random.chance(0.5)) return randomMembers(random, depth - 1);
  return Array.from({ length: random.below(4) }, () => randomValue(random, depth - 1));
}

function randomName(random: Random): string {
  const name = random.of(NAMES);
  return random.chance(0.2) ? name.replaceAll(/[./ -]/g, '\\$&') : name;
}

function randomConstant(random: Random): string {
  return random.of([
    '"x"',
    "'x'",
    '"True"',
    '1',
    '1.5',
    '-1',
    'true',
    'false',
    'nil',
    'x',
    '"a\\"b"',
    "'1'",
    '1e3',
    '+1',
    '',
  ]);
}

function randomStep(random: Random, depth: number): string {
  const kind = random.next();
  if (kind < 0.45) return `.${randomName(random)}`;
  if (kind < 0.6) return `[${random.of(INDICES)}]`;
  if (kind < 0.66) return random.of(['.*', '..', '.', '..*', '...', '[*].*']);
  if (kind < 0.74) return `['${randomName(random)}'${random.chance(0.4) ? `,'${randomName(random)}'` : ''}]`;
  if (kind < 0.78) return `["${randomName(random)}"]`;
  if (kind < 0.82) return `[${random.of(INDICES)},${random.of(INDICES)}]`;
  if (kind < 0.96 && depth > 0) {
    const left = `@${randomSteps(random, depth - 1)}`;
    const right = random.chance(0.7) ? randomConstant(random) : `@${randomSteps(random, depth - 1)}`;
    const space = random.of(['', ' ', '']);
    return `[?(${left}${space}${random.of(OPERATORS)}${space}${right})]`;
  }
  return random.of(['}', '{', '} {', '}{.a', ' ', '@', '$', "'x'", '"x"', '1', 'end', '\\', '(', '|', '\n']);
}

function randomSteps(random: Random, depth: number): string {
  return Array.from({ length: 1 + random.below(3) }, () => randomStep(random, depth)).join('');
}

/** A path as in a definition's columns: most are valid. None has a range, which shows the first row of a process only. */
export function randomPath(random: Random): string {
  return randomSteps(random, 2);
}
