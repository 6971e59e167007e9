import type { ResponseWriter } from '@apiserver/apiserver-contracts';

/** Passes frames on, each of which is one event. */
export class PassingWriter implements ResponseWriter {
  protected readonly writer: ResponseWriter;

  constructor(writer: ResponseWriter) {
    this.writer = writer;
  }

  write(frame: Uint8Array): void {
    this.writer.write(frame);
  }

  get bufferedBytes(): number {
    return this.writer.bufferedBytes;
  }

  drained(): Promise<void> {
    return this.writer.drained();
  }

  get closed(): boolean {
    return this.writer.closed;
  }
}
