import { describe, expect, it } from 'vitest';
import { KeyValueError } from '../key-value-error.js';
import {
  BATCH_HEADER,
  BLOCK,
  ENTRY_HEADER,
  emptyJournal,
  entriesAfter,
  sealBatch,
  writeEntryHeader,
} from './journal-batches.js';

const id = 0x1234_5678_9abc_def0n;

/** Writes a batch with one entry to that block, and returns the number of the block after it. */
function writeBatch(journal: Buffer, block: number, sequence: number, value = 'x'.repeat(6000)): number {
  const begin = block * BLOCK;
  const key = Buffer.from(`key ${sequence}`);
  let at = begin + BATCH_HEADER;
  writeEntryHeader(journal, at, key.length, value.length);
  at += ENTRY_HEADER;
  at += key.copy(journal, at);
  at += journal.write(value, at, 'latin1');
  sealBatch(journal.subarray(begin, at), { id, sequence });
  return Math.ceil(at / BLOCK);
}

/** A journal whose second half has batches 1 and 2 from earlier, and 5; the first half has 3 and 4. */
function filled(): Buffer {
  const journal = emptyJournal(id, 9 * BLOCK);
  writeBatch(journal, writeBatch(journal, 5, 1), 2);
  writeBatch(journal, writeBatch(journal, 1, 3), 4);
  writeBatch(journal, 5, 5);
  return journal;
}

const keys = (journal: Buffer, sequence: number): string[] =>
  entriesAfter(journal, { id, sequence }).map(({ key }) => key.toString());

const corrupt = (message: string) => new KeyValueError('Corrupt', message);

describe('entriesAfter', () => {
  it('returns the entries of later batches in order, from both halves', () => {
    expect(keys(filled(), 2)).toEqual(['key 3', 'key 4', 'key 5']);
    expect(keys(filled(), 4)).toEqual(['key 5']);
    expect(keys(filled(), 5)).toEqual([]);
    expect(entriesAfter(filled(), { id, sequence: 4 })[0]?.value).toEqual(Buffer.from('x'.repeat(6000)));
  });

  it('omits a last batch that is incomplete, wherever it was cut off', () => {
    const complete = filled();
    for (const length of [0, 1, 20, BATCH_HEADER, 4000, 6000]) {
      const torn = filled();
      torn.fill(0, 5 * BLOCK + length, 7 * BLOCK);
      expect([length, keys(torn, 2)]).toEqual([length, ['key 3', 'key 4']]);
    }
    expect(keys(complete, 2)).toHaveLength(3);
  });

  it('rejects a journal that lacks a batch before its last one', () => {
    const damaged = filled();
    damaged[3 * BLOCK + 5000] = 0;
    expect(() => keys(damaged, 2)).toThrow(corrupt('it lacks batch 4, and has batch 5'));
    expect(keys(damaged, 4)).toEqual(['key 5']);
    expect(() => keys(filled(), 1)).not.toThrow();
  });

  it.each([
    ['is that of another store', emptyJournal(id + 1n, 9 * BLOCK)],
    ['is empty', Buffer.alloc(0)],
    ['is overwritten', Buffer.alloc(9 * BLOCK)],
    ['has a damaged header', filled().fill(1, 4, 5)],
  ])('rejects a file that %s', (_, journal) => {
    expect(() => keys(journal, 2)).toThrow(corrupt('it is not the journal of this store'));
  });

  it('takes a batch of another store inside a value for a part of the value', () => {
    const journal = emptyJournal(id, 9 * BLOCK);
    const foreign = Buffer.alloc(3 * BLOCK);
    sealBatch(foreign.subarray(BLOCK - 45, BLOCK + 100), { id: id + 1n, sequence: 4 });
    writeBatch(journal, 1, 3, foreign.toString('latin1'));
    expect(keys(journal, 2)).toEqual(['key 3']);
    // Of a batch that is torn, too.
    journal.fill(0, BLOCK, BLOCK + 8);
    expect(keys(journal, 2)).toEqual([]);
  });
});
