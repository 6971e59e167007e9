const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * A text that a browser does not interpret as markup. Quotes stay.
 *
 * Upstream: sanitizer in k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go
 */
export function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>]/g, (character) => ESCAPES[character] ?? '');
}
