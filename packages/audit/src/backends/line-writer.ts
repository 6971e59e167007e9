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
  /** True if a line of so many bytes begins a new file. */
  needsNewFile(bytes: number): boolean;
  /** Begins a new file, for a line of so many bytes. Throws if that fails. */
  newFile(bytes: number): void;
  /** Writes all bytes. Throws if that fails. */
  write(buffers: readonly Uint8Array[]): void;
  close(): Promise<void>;
}

interface Line {
  readonly parts: LineParts;
  readonly failed: (error: string) => void;
}

interface Turn {
  readonly lines: Line[];
  readonly written: Promise<void>;
}

/**
 * Writes lines in order, those of one turn of the event loop together. A write is a system call that copies into the
 * page cache: faster than a thread pool, and its failure is known before a response is sent.
 */
export class LineWriter implements AsyncDisposable {
  readonly #output: LineOutput;
  #turn: Turn | undefined = undefined;
  #writing: Promise<void> = Promise.resolve();
  /** True after a write that ended within a line. */
  #isTorn = false;

  constructor(output: LineOutput) {
    this.#output = output;
  }

  /** Resolves when the line is written, or `failed` was called. */
  write(parts: LineParts, failed: (error: string) => void): Promise<void> {
    this.#turn ??= this.#begin();
    this.#turn.lines.push({ parts, failed });
    return this.#turn.written;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turn?.written;
    await this.#writing;
    await this.#output.close();
  }

  #begin(): Turn {
    const lines: Line[] = [];
    const before = this.#writing;
    const written = new Promise<void>((resolve) => {
      setImmediate(() => {
        this.#turn = undefined;
        resolve(before.then(() => this.#writeLines(lines)));
      });
    });
    this.#writing = written;
    return { lines, written };
  }

  async #writeLines(lines: readonly Line[]): Promise<void> {
    for (let at = 0; at < lines.length; ) {
      if (at > 0) await new Promise((resolve) => setImmediate(resolve));
      at = this.#writeSome(lines, at);
    }
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
      this.#isTorn = false;
      return true;
    } catch (error) {
      failed(messageOf(error));
      return false;
    }
  }

  #writeGroup(group: LineGroup): void {
    if (group.lines.length === 0) return;
    const buffers = group.buffers();
    if (this.#isTorn) buffers.unshift(NEWLINE);
    try {
      this.#output.write(buffers);
      this.#isTorn = false;
    } catch (error) {
      this.#isTorn = true;
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
  buffers(): Uint8Array[] {
    const buffers: Uint8Array[] = [];
    let text = '';
    for (const { parts } of this.lines) {
      for (const part of parts) {
        if (typeof part === 'string') {
          text += part;
          continue;
        }
        if (text !== '') buffers.push(Buffer.from(text));
        text = '';
        buffers.push(part);
      }
    }
    if (text !== '') buffers.push(Buffer.from(text));
    return buffers;
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
