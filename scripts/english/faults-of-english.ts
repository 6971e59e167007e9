import type { Sentence } from './sentences.ts';

/** Each rule with its demand. */
export const RULES = {
  long: 'at most 25 words a sentence',
  clause: 'no clause as a subject: name the thing',
} as const;

export type Rule = keyof typeof RULES;

const MAX_WORDS = 25;

/** The faults of one sentence. */
export function faultsOfEnglish({ text }: Sentence): Rule[] {
  return [...(isLong(text) ? (['long'] as const) : []), ...(beginsWithClause(text) ? (['clause'] as const) : [])];
}

/** Counts the parts between semicolons and colons separately. */
function isLong(text: string): boolean {
  return text.split(/[;:]\s/).some((part) => wordsOf(part) > MAX_WORDS);
}

function wordsOf(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** A question may begin so. "Where" and "When" are not here: they mostly begin an adverbial clause. */
function beginsWithClause(text: string): boolean {
  return /^(Who|Whoever|Whom|Whose|What|Whatever|Whether|Which|Why|How)\b/.test(text) && !text.endsWith('?');
}
