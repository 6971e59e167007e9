/** The first `maxLength` UTF-16 units of a longer text, and `…`. Half a character becomes U+FFFD. Upstream has no such bound. */
export function cutText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength).toWellFormed()}…`;
}
