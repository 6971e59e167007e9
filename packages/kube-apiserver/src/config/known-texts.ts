/** Different texts whose results are kept. */
const MAX_TEXTS = 8;

/** Results of reading the newest texts. A text that cannot be read is read again. */
export class KnownTexts<T> {
  /** The oldest first. */
  readonly #known = new Map<string, T>();

  of(text: string, read: (text: string) => T): T {
    const result = this.#known.get(text) ?? read(text);
    this.#known.delete(text);
    this.#known.set(text, result);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_TEXTS && oldest !== undefined) this.#known.delete(oldest);
    return result;
  }
}
