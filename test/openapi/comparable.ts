/** An OpenAPI document. */
export type Document = { readonly [key: string]: unknown };

/** Sentences that come with line breaks of another generator. Their parameters are named for what they say. */
const REFLOWED = new Set(['sendInitialEvents', 'shardSelector']);

/** Upstream describes these two otherwise inside of another object than at its root; they come with no package. */
const EMBEDDED_NAMES = /^(apiVersion defines|kind is a string value)/;
const ROOT_NAMES = /^(APIVersion defines|Kind is a string value)/;

/**
 * A document as documents are compared: references to shared parameters followed, and without the few descriptions that
 * are known to differ.
 */
export function comparable(document: Document | undefined): unknown {
  const parameters = (document?.['parameters'] ?? {}) as Readonly<Record<string, Document>>;
  const { parameters: _, ...rest } = (document ?? {}) as { readonly parameters?: unknown };
  return plain(rest, parameters);
}

function plain(value: unknown, parameters: Readonly<Record<string, Document>>): unknown {
  if (Array.isArray(value)) return value.map((one) => plain(one, parameters));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as { readonly $ref?: unknown };
  if (typeof $ref === 'string' && $ref.startsWith('#/parameters/')) {
    return plain(parameters[$ref.slice('#/parameters/'.length)], parameters);
  }
  const { name } = value as { readonly name?: unknown };
  const entries = Object.entries(value)
    .filter(([key]) => !(key === 'description' && typeof name === 'string' && REFLOWED.has(name)))
    .filter(([key, text]) => !(key === 'description' && isOfEmbedded(text)));
  return Object.fromEntries(entries.map(([key, inner]) => [key, plain(inner, parameters)]));
}

function isOfEmbedded(text: unknown): boolean {
  return typeof text === 'string' && (EMBEDDED_NAMES.test(text) || ROOT_NAMES.test(text));
}
