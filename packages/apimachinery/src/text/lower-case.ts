/** Letters that JavaScript's `toLowerCase` makes two letters of, or judges by their neighbours. */
const OTHERS: Readonly<Record<string, string>> = { İ: 'i', Σ: 'σ' };

/** A text in lower case, letter by letter. Upstream: strings.ToLower */
export function lowerCase(text: string): string {
  return text.replace(/[İΣ]/g, (letter) => OTHERS[letter] ?? letter).toLowerCase();
}
