const LETTER = /^\p{L}$/u;
const DIGIT = /^\p{Nd}$/u;

/**
 * The order of keys in written YAML: by character, letters after everything else, runs of digits by their number.
 *
 * Upstream: go.yaml.in/yaml/v2 sorter.go
 */
export function compareYamlKeys(a: string, b: string): number {
  const ar = [...a];
  const br = [...b];
  for (let i = 0; i < ar.length && i < br.length; i++) {
    const x = ar[i] as string;
    const y = br[i] as string;
    if (x === y) continue;
    const xLetter = LETTER.test(x);
    const yLetter = LETTER.test(y);
    if (xLetter && yLetter) return codeOf(x) - codeOf(y);
    if (xLetter || yLetter) return yLetter ? -1 : 1;
    return compareRuns(ar, br, i);
  }
  return ar.length - br.length;
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

/** Compares from the first difference on, where neither side has a letter. */
function compareRuns(ar: readonly string[], br: readonly string[], i: number): number {
  const lead = ar[i] === '0' || br[i] === '0' ? leadingDigit(ar, i) : 0n;
  const a = digitRun(ar, i, lead);
  const b = digitRun(br, i, lead);
  if (a.value !== b.value) return a.value < b.value ? -1 : 1;
  if (a.end !== b.end) return a.end - b.end;
  return codeOf(ar[i] as string) - codeOf(br[i] as string);
}

/** 1 when the digits before are not all zero: then a zero here is no leading zero. */
function leadingDigit(text: readonly string[], i: number): bigint {
  for (let j = i - 1; j >= 0 && DIGIT.test(text[j] as string); j--) if (text[j] !== '0') return 1n;
  return 0n;
}

function digitRun(
  text: readonly string[],
  start: number,
  lead: bigint,
): { readonly value: bigint; readonly end: number } {
  let value = lead;
  let end = start;
  while (end < text.length && DIGIT.test(text[end] as string)) {
    value = BigInt.asIntN(64, value * 10n + BigInt(codeOf(text[end] as string) - 0x30));
    end++;
  }
  return { value, end };
}
