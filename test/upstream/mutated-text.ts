import type { Random } from '../watch/random.ts';

/** Characters that most parsers treat in a way of their own. */
const ODD = [...'"\'\\{}[](),:;=!<>~/#%&*?|@` \t\n0129aeEnN.-+_é😀\u0000\u2028'] as [string, ...string[]];

/** A text with one or a few random changes. */
export function mutated(random: Random, text: string): string {
  let changed = text;
  do changed = changedOnce(random, changed);
  while (random.chance(0.3));
  return changed;
}

function changedOnce(random: Random, text: string): string {
  const points = Array.from(text);
  const at = random.below(points.length + 1);
  const part = (from: number, to?: number) => points.slice(from, to).join('');
  const kind = random.next();
  if (kind < 0.35) return part(0, at) + random.of(ODD) + part(at);
  if (kind < 0.6) return part(0, at) + part(at + 1 + random.below(3));
  if (kind < 0.75) return part(0, at) + random.of(ODD) + part(at + 1);
  const other = random.below(points.length + 1);
  const first = Math.min(at, other);
  return kind < 0.9 ? part(0, at) + part(first, Math.min(first + 40, other)) + part(at) : part(0, at);
}
