import type { Filter, ResponseHeaders, WarningRecorder } from '@apiserver/apiserver-contracts';

/** Total characters from which on each warning is truncated. */
const TRUNCATE_AT_TOTAL = 4 * 1024;
const TRUNCATE_ITEM = 256;

/**
 * Adds the warnings of a request to its response.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/warning.go
 */
export function warningRecorder(): Filter {
  return {
    name: 'warningRecorder',
    wrap: (next) => (exchange) => {
      exchange.context.warnings = new HeaderWarningRecorder(exchange.responseHeaders);
      return next(exchange);
    },
  };
}

/** Writes warnings as `Warning: 299 - "text"`, each once, within clients' limits on headers. */
class HeaderWarningRecorder implements WarningRecorder {
  readonly #headers: ResponseHeaders;
  #recorded: Set<string> | undefined = undefined;
  #written = 0;
  #truncating = false;

  constructor(headers: ResponseHeaders) {
    this.#headers = headers;
  }

  warn(text: string): void {
    if (text === '' || (this.#truncating && this.#written >= TRUNCATE_AT_TOTAL)) return;
    this.#recorded ??= new Set();
    if (this.#recorded.has(text)) return;
    this.#recorded.add(text);
    if (!this.#truncating && this.#exceeds(text)) this.#startOver();
    else this.#write(text);
  }

  /**
   * True if a warning is too long beside the others. One that cannot stand in a header is left out, and counts nothing.
   */
  #exceeds(text: string): boolean {
    return this.#written + [...text].length > TRUNCATE_AT_TOTAL && warningHeader(text) !== undefined;
  }

  /** Adds all warnings again, truncated. */
  #startOver(): void {
    this.#truncating = true;
    this.#written = 0;
    this.#headers.delete('warning');
    for (const text of this.#recorded ?? []) this.#write(text);
  }

  #write(text: string): void {
    const characters = [...text];
    const shown = this.#truncating ? characters.slice(0, TRUNCATE_ITEM) : characters;
    const header = warningHeader(shown.join(''));
    if (header === undefined) return;
    this.#written += shown.length;
    this.#headers.append('warning', header);
  }
}

/** Undefined for text that cannot stand in a header. Upstream: k8s.io/apimachinery/pkg/util/net.NewWarningHeader */
function warningHeader(text: string): string | undefined {
  if (!text.isWellFormed() || /\p{Cc}/u.test(text)) return undefined;
  return `299 - "${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
