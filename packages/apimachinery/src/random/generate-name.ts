/** A uniformly random integer from 0 up to, but not including, `bound`. For example, `randomInt` of node:crypto. */
export type RandomInt = (bound: number) => number;

/** Without vowels, 0, 1 and 3, to avoid words and misreading. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_BASE_LENGTH = 63 - SUFFIX_LENGTH;

/** `length` random characters that are safe in names. Upstream: k8s.io/apimachinery/pkg/util/rand/rand.go */
function randomNameSuffix(length: number, random: RandomInt): string {
  let suffix = '';
  for (let i = 0; i < length; i++) suffix += ALPHABET.charAt(random(ALPHABET.length));
  return suffix;
}

/**
 * The name of an object with only a generateName: the base, cut so that the name fits a DNS label, and five random
 * characters. It may be taken; the caller handles that.
 *
 * Upstream: SimpleNameGenerator in k8s.io/apiserver/pkg/storage/names/generate.go
 */
export function generateName(base: string, random: RandomInt): string {
  return base.slice(0, MAX_BASE_LENGTH) + randomNameSuffix(SUFFIX_LENGTH, random);
}
