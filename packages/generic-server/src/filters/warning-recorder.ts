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
    return isLonger(text, TRUNCATE_AT_TOTAL - this.#written) && fitsHeader(text);
  }

  /** Adds all warnings again, truncated. */
  #startOver(): void {
    this.#truncating = true;
    this.#written = 0;
    this.#headers.delete('warning');
    for (const text of this.#recorded ?? []) this.#write(text);
  }

  #write(text: string): void {
    const shown = this.#truncating ? beginning(text, TRUNCATE_ITEM) : text;
    if (!fitsHeader(shown)) return;
    this.#written += [...shown].length;
    // Upstream: k8s.io/apimachinery/pkg/util/net.NewWarningHeader
    this.#headers.append('warning', `299 - "${shown.replaceAll(/["\\]/g, '\\$&')}"`);
  }
}

/** True for more characters than `most`. A client may cause a warning of megabytes, so they are not all counted. */
function isLonger(text: string, most: number): boolean {
  if (text.length <= most) return false;
  return text.length > 2 * most || [...text].length > most;
}

/** A character has at most two code units. */
function beginning(text: string, characters: number): string {
  return [...text.slice(0, 2 * characters)].slice(0, characters).join('');
}

function fitsHeader(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}
