import { countMembers, type ParsedJson } from '@apiserver/apimachinery/codec/json';

/**
 * Errors of strict decoding for duplicate keys in a JSON text without a schema, in document order: `duplicate field
 * "spec.a"`, each once. Without duplicates it only costs a count of the keys.
 *
 * Upstream: sigs.k8s.io/json (UnmarshalStrict)
 */
export function duplicateFields({ bytes, value, scan }: ParsedJson): readonly string[] {
  if (countMembers(value) === scan.members) return [];
  const finder = new DuplicateFinder(Buffer.from(bytes).toString('utf8'));
  finder.walk('');
  return [...finder.found].map((path) => `duplicate field "${path}"`);
}

/** Walks well-formed JSON text and records the keys of every object. */
class DuplicateFinder {
  readonly found = new Set<string>();
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  walk(path: string): void {
    const char = this.#peek();
    if (char === '{') this.#object(path);
    else if (char === '[') this.#array(path);
    else if (char === '"') this.#string();
    else this.#literal();
  }

  #object(path: string): void {
    const seen = new Set<string>();
    this.#each('}', () => {
      const key = this.#string();
      const child = path === '' ? key : `${path}.${key}`;
      if (seen.has(key)) this.found.add(child);
      seen.add(key);
      this.#peek();
      this.#at++;
      this.walk(child);
    });
  }

  #array(path: string): void {
    let index = 0;
    this.#each(']', () => this.walk(`${path}[${index++}]`));
  }

  /** Calls `member` at each member, and consumes the closing bracket. */
  #each(closing: string, member: () => void): void {
    this.#at++;
    while (this.#peek() !== closing) {
      if (this.#peek() === ',') this.#at++;
      this.#peek();
      member();
    }
    this.#at++;
  }

  /** A number, true, false or null. */
  #literal(): void {
    while (/[\w+.-]/.test(this.#text.charAt(this.#at))) this.#at++;
  }

  #string(): string {
    const start = this.#at;
    for (this.#at++; this.#text.charAt(this.#at) !== '"'; this.#at++) {
      if (this.#text.charAt(this.#at) === '\\') this.#at++;
    }
    this.#at++;
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  /** The next character other than white space. */
  #peek(): string {
    while (/\s/.test(this.#text.charAt(this.#at))) this.#at++;
    return this.#text.charAt(this.#at);
  }
}
