/** UTF-16 units of sizes that are read at once. No terminal sends so many. */
const MAX_TEXT = 16 * 1024;

/** Parses the messages of a resize channel for the resize stream of a remote command. */
export class TerminalSizes {
  #rest = '';
  #broken = false;

  /**
   * The lines for the resize stream that this text completes. After an invalid size, or too long a text, it
   * returns nothing more.
   */
  read(text: string): string[] {
    if (this.#broken) return [];
    this.#rest += text;
    if (this.#rest.length > MAX_TEXT) {
      this.#broken = true;
      this.#rest = '';
      return [];
    }
    const lines: string[] = [];
    for (let end = this.#rest.indexOf('}'); end !== -1; end = this.#rest.indexOf('}')) {
      const line = sizeLine(this.#rest.slice(0, end + 1));
      if (line === undefined) {
        this.#broken = true;
        return lines;
      }
      lines.push(line);
      this.#rest = this.#rest.slice(end + 1);
    }
    return lines;
  }
}

/** Field names are case-insensitive, as in Go. Upstream: remotecommand.TerminalSize */
function sizeLine(text: string): string | undefined {
  try {
    const given: Record<string, unknown> = JSON.parse(text);
    const value = (wanted: string) =>
      Object.entries(given).findLast(([name]) => name.toLowerCase() === wanted)?.[1] ?? 0;
    const [width, height] = [value('width'), value('height')];
    if (!isUint16(width) || !isUint16(height)) return undefined;
    return `${JSON.stringify({ Width: width, Height: height })}\n`;
  } catch {
    return undefined;
  }
}

function isUint16(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 0xffff;
}
