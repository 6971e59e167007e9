/** Cuts what comes on a resize channel into sizes, as the streams of a remote command want them. */
export class TerminalSizes {
  #rest = '';
  #broken = false;

  /** The lines for the resize stream that are whole with this text. Nothing comes any more behind what is no size. */
  read(text: string): string[] {
    if (this.#broken) return [];
    this.#rest += text;
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

/** Upstream: remotecommand.TerminalSize, whose names are read whatever their case is. */
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
