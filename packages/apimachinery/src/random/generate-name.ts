/** A uniformly random integer from 0 up to, not including, `bound`. `randomInt` of node:crypto is one. */
export type RandomInt = (bound: number) => number;

/** No vowels, and no 0, 1 or 3: so that no words come out and nothing is misread. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_BASE_LENGTH = 63 - SUFFIX_LENGTH;

/** `length` random characters that are safe in names. Upstream: k8s.io/apimachinery/pkg/util/rand/rand.go */
export function randomNameSuffix(length: number, random: RandomInt): string {
  let suffix = '';
  for (let i = 0; i < length; i++) suffix += ALPHABET.charAt(random(ALPHABET.length));
  return suffix;
}

/**
 * The name for an object that gives only a generateName: the base, cut so that the whole fits a DNS label, and five
 * random characters. It may be taken; the caller decides what then.
 *
 * Upstream: SimpleNameGenerator in k8s.io/apiserver/pkg/storage/names/generate.go
 */
export function generateName(base: string, random: RandomInt): string {
  return base.slice(0, MAX_BASE_LENGTH) + randomNameSuffix(SUFFIX_LENGTH, random);
}
