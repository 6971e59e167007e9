import type { RecordedRequest } from './recorded-request.js';

/** The newest records, bounded in number and in bytes of bodies. */
export class RequestLog {
  readonly #maxRecords: number;
  readonly #maxBytes: number;
  #records: RecordedRequest[] = [];
  /** Index of the oldest record that is kept. */
  #start = 0;
  #bytes = 0;
  #dropped = 0;
  #added = 0;

  constructor(maxRecords: number, maxBytes: number) {
    this.#maxRecords = maxRecords;
    this.#maxBytes = maxBytes;
  }

  get nextNumber(): number {
    return this.#added + 1;
  }

  add(record: RecordedRequest): void {
    this.#added++;
    this.#records.push(record);
    if (this.#records.length - this.#start > this.#maxRecords) this.#dropOldest();
  }

  /** Counts the bodies of a record whose request is over. */
  finished(record: RecordedRequest): void {
    const oldest = this.#records[this.#start];
    if (oldest === undefined || record.number < oldest.number) return;
    this.#bytes += record.size;
    while (this.#bytes > this.#maxBytes) this.#dropOldest();
  }

  /** Records that were dropped because there are too many. */
  get dropped(): number {
    return this.#dropped;
  }

  /** The oldest first. */
  get records(): readonly RecordedRequest[] {
    return this.#records.slice(this.#start);
  }

  clear(): void {
    this.#records = [];
    this.#start = 0;
    this.#bytes = 0;
    this.#dropped = 0;
  }

  #dropOldest(): void {
    const oldest = this.#records[this.#start++];
    this.#dropped++;
    if (oldest?.duration !== undefined) this.#bytes -= oldest.size;
    if (this.#start < this.#maxRecords) return;
    this.#records = this.#records.slice(this.#start);
    this.#start = 0;
  }
}
