import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { encodeDocumentV2 } from '../protobuf-v2.js';
import { jsonText } from './json-text.js';
import { parsedDocument } from './parsed-document.js';
import { serializeDocument } from './serialized-document.js';

const paths = Object.fromEntries(
  Array.from({ length: 25_000 }, (_, i) => [
    `/p"${i}`,
    { get: { description: 'x'.repeat(300), operationId: `g${i}` } },
  ]),
);
const document = { swagger: '2.0', info: { title: 't' }, paths, definitions: {} };
const text = JSON.stringify(document);

it('is written in steps, as JSON.stringify writes it', () => {
  const steps = jsonText(document, 2);
  let count = 0;
  for (;;) {
    const step = steps.next();
    if (step.done !== true) count++;
    else {
      expect([step.value === text, count > 25_000]).toEqual([true, true]);
      return;
    }
  }
});

it('is parsed member by member, in turns', async () => {
  let turns = 0;
  const counting = (async () => {
    for (;;) {
      await nextTurn();
      if (turns++ > 1_000) return;
    }
  })();
  const parsed = await parsedDocument(text);
  expect(turns).toBeGreaterThan(2);
  turns = 1_000;
  await counting;
  expect(JSON.stringify(parsed) === text).toBe(true);
});

it('is hashed and encoded in turns', async () => {
  let turns = 0;
  setImmediate(() => turns++);
  const serialized = await serializeDocument(text, 0, encodeDocumentV2);
  expect([turns, serialized.hash.length]).toEqual([1, 128]);
  expect((await serialized.bytes('protobuf')).length).toBeGreaterThan(25_000 * 300);
});
