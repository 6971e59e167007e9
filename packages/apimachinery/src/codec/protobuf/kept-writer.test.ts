import { BinaryWriter } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeWith } from './kept-writer.js';

/** Fields of a message, some of which are messages themselves. */
type Fields = readonly (string | readonly string[])[];

function write(writer: BinaryWriter, fields: Fields): void {
  for (const field of fields) {
    if (typeof field === 'string') writer.uint32(10).string(field);
    else {
      writer.uint32(18).fork();
      write(writer, field);
      writer.join();
    }
  }
}

const text = fc.string({ unit: 'grapheme', maxLength: 300 });
const fields = fc.array(fc.oneof(text, fc.array(text, { maxLength: 4 })), { maxLength: 6 });

test('encodes one message after another as a new writer does, and leaves earlier ones as they are', () => {
  fc.assert(
    fc.property(fc.array(fields, { maxLength: 5 }), (messages) => {
      const encoded = messages.map((message) => encodeWith((writer) => write(writer, message)));
      const expected = messages.map((message) => {
        const writer = new BinaryWriter();
        write(writer, message);
        return writer.finish();
      });
      expect(encoded.map((bytes) => Buffer.from(bytes))).toEqual(expected.map((bytes) => Buffer.from(bytes)));
    }),
  );
});

test('encodes a message inside of another, and one after a failure', () => {
  const inner = () => encodeWith((writer) => writer.string('inner'));
  const outer = encodeWith((writer) => writer.string('outer').bytes(inner()));
  const failed = () =>
    encodeWith((writer) => {
      writer.string('lost').fork();
      throw new RangeError('no message');
    });
  expect(failed).toThrow('no message');
  expect([Buffer.from(outer).toString(), Buffer.from(inner()).toString()]).toEqual([
    '\u0005outer\u0006\u0005inner',
    '\u0005inner',
  ]);
});

test('makes small messages in memory that they share', () => {
  const bytes = encodeWith((writer) => writer.string('small'));
  expect(bytes.buffer.byteLength).toBeGreaterThan(bytes.byteLength);
});
