import { quote } from '@apiserver/apimachinery/text';

/** Names as messages list them: `["a" "b"]`, `[]` (the `%q` of a slice in upstream's format strings). */
export function quoteList(values: readonly string[]): string {
  return `[${values.map(quote).join(' ')}]`;
}
