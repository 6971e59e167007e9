import { Buffer } from 'node:buffer';
import { messageOf } from '@apiserver/apimachinery/errors';

/** Bytes that are written in one turn of the event loop. */
const TURN_BYTES = 4 * 1024 * 1024;

/** Parts of a line, in order. */
export type LineParts = readonly (string | Uint8Array)[];

/** Where lines go. */
export interface LineOutput {
  /** Bytes of the longest line; undefined: no bound. */
  readonly maxBytes: number | undefined;
  /** True if the file that was opened last ended within a line, which an earlier process wrote. Default: false. */
  readonly isTorn?: boolean;
  /** True if a line of this many bytes begins a new file. */
  needsNewFile(bytes: number): boolean;
  /** Begins a new file, for a line of this many bytes. Throws if that fails. */
  newFile(bytes: number): void;
  /** Writes all bytes. Throws if that fails. The caller changes them afterwards. */
  write(buffers: readonly Uint8Array[]): void;
  /** Closes a file once. Each later `newFile` and `write` throws, as the descriptor may belong to another file. */
  close(): Promise<void>;
}

/** The error of a line that comes after the output is closed. */
export const LOG_IS_CLOSED = 'the log is closed';

/** The failure of a write of which no byte was written: no line is torn. */
export class UnwrittenLines extends Error {}

interface Line {
  readonly parts: LineParts;
  readonly failed: (error: string) => void;
}

interface Turn {
  readonly lines: Line[];
  readonly written: Promise<true>;
}

/**
 * Writes lines in order, those of one turn of the event loop together. A write is a system call that copies into the
 * page cache: faster than a thread pool, and its failure is known before a response is sent.
 */
export class LineWriter implements AsyncDisposable {
  readonly #output: LineOutput;
  readonly #texts = new TextBuffer();
  #turn: Turn | undefined = undefined;
  #writing: Promise<true> | undefined = undefined;
  #isClosed = false;
  /** True after a write that ended within a line. */
  #isTorn: boolean;

  constructor(output: LineOutput) {
    this.#output = output;
    this.#isTorn = output.isTorn ?? false;
  }

  /**
   * Resolves when the line is written, or `failed` was called. Lines of one turn share the promise. After the writer is
   * disposed every line fails.
   */
  write(parts: LineParts, failed: (error: string) => void): Promise<true> {
    if (this.#isClosed) {
      failed(LOG_IS_CLOSED);
      return Promise.resolve(true);
    }
    this.#turn ??= this.#begin();
    this.#turn.lines.push({ parts, failed });
    return this.#turn.written;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A turn may begin while an earlier one ends.
    while (this.#turn !== undefined || this.#writing !== undefined) await (this.#turn?.written ?? this.#writing);
    this.#isClosed = true;
    await this.#output.close();
  }

  #begin(): Turn {
    const lines: Line[] = [];
    const written = new Promise<true>((resolve) => {
      setImmediate(() => {
        this.#turn = undefined;
        const before = this.#writing;
        const result = before === undefined ? this.#writeLines(lines) : before.then(() => this.#writeLines(lines));
        if (result !== true) this.#writeNextAfter(result);
        resolve(result);
      });
    });
    return { lines, written };
  }

  #writeNextAfter(writing: Promise<true>): void {
    this.#writing = writing;
    void writing.then(() => {
      if (this.#writing === writing) this.#writing = undefined;
    });
  }

  /** Nearly always all lines are written at once. */
  #writeLines(lines: readonly Line[]): true | Promise<true> {
    const at = this.#writeSome(lines, 0);
    if (at >= lines.length) return true;
    return this.#writeRest(lines, at);
  }

  async #writeRest(lines: readonly Line[], from: number): Promise<true> {
    for (let at = from; at < lines.length; ) {
      await new Promise((resolve) => setImmediate(resolve));
      at = this.#writeSome(lines, at);
    }
    return true;
  }

  /** Writes lines from `at` on; returns the index of the first one that is left. */
  #writeSome(lines: readonly Line[], at: number): number {
    let bytes = 0;
    let index = at;
    while (index < lines.length && bytes < TURN_BYTES) {
      const group = new LineGroup();
      for (let line = lines[index]; line !== undefined && bytes < TURN_BYTES; line = lines[++index]) {
        const length = this.#output.maxBytes === undefined ? 0 : lengthOf(line.parts);
        if (this.#refuses(line, length)) continue;
        if (this.#output.needsNewFile(group.counted + length)) {
          if (group.lines.length > 0) break;
          if (!this.#startFile(line, length)) continue;
        }
        group.add(line, length);
        bytes += length || approximateLength(line.parts);
      }
      this.#writeGroup(group);
    }
    return index;
  }

  #refuses({ failed }: Line, length: number): boolean {
    const { maxBytes } = this.#output;
    if (maxBytes === undefined || length <= maxBytes) return false;
    failed(`write length ${length} exceeds maximum file size ${maxBytes}`);
    return true;
  }

  #startFile({ failed }: Line, length: number): boolean {
    try {
      this.#output.newFile(length);
      this.#isTorn = this.#output.isTorn ?? false;
      return true;
    } catch (error) {
      failed(messageOf(error));
      return false;
    }
  }

  #writeGroup(group: LineGroup): void {
    if (group.lines.length === 0) return;
    const buffers = group.buffers(this.#texts);
    if (this.#isTorn) buffers.unshift(NEWLINE);
    try {
      this.#output.write(buffers);
      this.#isTorn = false;
    } catch (error) {
      if (!(error instanceof UnwrittenLines)) this.#isTorn = true;
      const why = messageOf(error);
      for (const { failed } of group.lines) failed(why);
    }
  }
}

const NEWLINE = Buffer.from('\n');

/** Lines that are written together. */
class LineGroup {
  readonly lines: Line[] = [];
  counted = 0;

  add(line: Line, length: number): void {
    this.lines.push(line);
    this.counted += length;
  }

  /** Joins the texts between bytes. */
  buffers(texts: TextBuffer): Uint8Array[] {
    const buffers: Uint8Array[] = [];
    texts.reset();
    for (const { parts } of this.lines) {
      for (const part of parts) {
        if (typeof part === 'string') texts.add(part, buffers);
        else {
          texts.endInto(buffers);
          buffers.push(part);
        }
      }
    }
    texts.endInto(buffers);
    return buffers;
  }
}

const TEXT_BYTES = 64 * 1024;
/** The bytes of UTF-8 for a UTF-16 unit. */
const MAX_BYTES = 3;

/** Encodes texts into memory that is used again for the next lines. */
class TextBuffer {
  #bytes = Buffer.allocUnsafeSlow(TEXT_BYTES);
  #start = 0;
  #end = 0;

  reset(): void {
    this.#start = 0;
    this.#end = 0;
  }

  /** Adds a text to those since the last end; `buffers` takes what the memory has no room for. */
  add(text: string, buffers: Uint8Array[]): void {
    const most = text.length * MAX_BYTES;
    if (this.#end + most > this.#bytes.length) {
      this.endInto(buffers);
      if (most > TEXT_BYTES) {
        buffers.push(Buffer.from(text));
        return;
      }
      this.#bytes = Buffer.allocUnsafeSlow(TEXT_BYTES);
      this.reset();
    }
    this.#end += this.#bytes.write(text, this.#end);
  }

  /** Ends the text so far. */
  endInto(buffers: Uint8Array[]): void {
    if (this.#end > this.#start) buffers.push(this.#bytes.subarray(this.#start, this.#end));
    this.#start = this.#end;
  }
}

function lengthOf(parts: LineParts): number {
  let length = 0;
  for (const part of parts) length += typeof part === 'string' ? Buffer.byteLength(part) : part.length;
  return length;
}

function approximateLength(parts: LineParts): number {
  let length = 0;
  for (const part of parts) length += part.length;
  return length;
}
