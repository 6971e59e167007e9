import { quote } from '@apiserver/apimachinery/text';

/** Formats names for messages as `["a" "b"]` or `[]`, like `%q` with a Go slice. */
export function quoteList(values: readonly string[]): string {
  return `[${values.map(quote).join(' ')}]`;
}
