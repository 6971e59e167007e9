import { expect, it } from 'vitest';
import { atOnce } from '../clock/at-once.js';
import { writeMergePatchedSteps } from './apply-merge-patch.js';
import { writeJsonPatchedSteps } from './apply-written-json-patch.js';

const DOCUMENT = Buffer.from('{"kind":"K","b":{"y":1,"x":2},"a":[{"d":1,"c":2}]}');
/** Many names in one object, of a patch and of a document: no pause may be missing. */
const WIDE = `{"1":1,${Array.from({ length: 50_000 }, (_, i) => `"k${i}":1`)}}`;
const add = (path: string, value: string) => `{"op":"add","path":"${path}","value":${value}}`;

it.each([
  ['opens the root alone', '', '{"a":[{"d":1,"c":2}],"b":{"y":1,"x":2},"kind":"K"}'],
  [
    'keeps texts',
    add('/b', String.raw`{ "2":1.0, "1":[ -0 ], "\u0061":"\u0061<é" }`),
    String.raw`{"a":[{"d":1,"c":2}],"b":{"2":1.0,"1":[-0],"\u0061":"\u0061<é"},"kind":"K"}`,
  ],
  [
    'keeps repeated names',
    add('/b', '{"x":1,"x":[{"y":1e400,"y":2}]}'),
    '{"a":[{"d":1,"c":2}],"b":{"x":1,"x":[{"y":1e400,"y":2}]},"kind":"K"}',
  ],
  [
    'keeps blanks in names and texts',
    add('/b', '{ "x, y" : [ "a b", { "x y" : 1, "x y":{"]":2} } ] , "x, y":" "}'),
    '{"a":[{"d":1,"c":2}],"b":{"x, y":["a b",{"x y":1,"x y":{"]":2}}],"x, y":" "},"kind":"K"}',
  ],
  [
    'keeps texts behind brackets',
    add('/b', '{"x  y":["\u{1f600} é", "\u2028"],"x  y":{ "\u2028  ": [ "é  " ] }}'),
    '{"a":[{"d":1,"c":2}],"b":{"x  y":["\u{1f600} é","\u2028"],"x  y":{"\u2028  ":["é  "]}},"kind":"K"}',
  ],
  [
    'sorts what it opens',
    `${add('/b', '{"x":{"y":1,"y":2},"2":1,"2":3}')},${add('/b/a', '0')}`,
    '{"a":[{"d":1,"c":2}],"b":{"2":3,"a":0,"x":{"y":1,"y":2}},"kind":"K"}',
  ],
  [
    'opens what it tests',
    `${add('/b', '{"x":1,"x":2}')},{"op":"test","path":"/b","value":{"x":2}}`,
    '{"a":[{"d":1,"c":2}],"b":{"x":2},"kind":"K"}',
  ],
  [
    'copies texts',
    `${add('/b', '{"x":1,"x":2}')},{"op":"copy","from":"/b","path":"/c"},${add('/b/y', '1')}`,
    '{"a":[{"d":1,"c":2}],"b":{"x":2,"y":1},"c":{"x":1,"x":2},"kind":"K"}',
  ],
])('the text of a JSON patch %s', (_, operations, expected) =>
  expect(atOnce(writeJsonPatchedSteps(DOCUMENT, Buffer.from(`[${operations}]`)))).toBe(expected),
);

it.each([
  [
    'sorts new objects',
    '{"c":{"b":1,"a":[null,{"2":1,"1":null}]}}',
    '{"a":[{"d":1,"c":2}],"b":{"y":1,"x":2},"c":{"a":[null,{"2":1}],"b":1},"kind":"K"}',
  ],
  [
    'keeps the text in the place of an object',
    '{"b":[{"x":null,"x":1.0}]}',
    '{"a":[{"d":1,"c":2}],"b":[{"x":null,"x":1.0}],"kind":"K"}',
  ],
  [
    'takes the last of repeated names',
    '{"b":{"x":1,"x":1e400}}',
    '{"a":[{"d":1,"c":2}],"b":{"x":1e400,"y":1},"kind":"K"}',
  ],
])('the text of a merge patch %s', (_, patch, expected) =>
  expect(atOnce(writeMergePatchedSteps(DOCUMENT, Buffer.from(patch), 'Ignore'))).toBe(expected),
);

it.each([
  ['reads a value', writeJsonPatchedSteps(DOCUMENT, Buffer.from(`[${add('/b', WIDE)}]`)), 24],
  [
    'copies a value',
    writeJsonPatchedSteps(DOCUMENT, Buffer.from(`[${add('/b', WIDE)},{"op":"copy","from":"/b","path":"/c"}]`)),
    60,
  ],
  ['passes unknown names', writeJsonPatchedSteps(DOCUMENT, Buffer.from(`[${WIDE.replace('1', 'op')}]`)), 12],
  ['reads a document', writeMergePatchedSteps(Buffer.from(WIDE), Buffer.from('{}'), ''), 24],
])('pauses when it %s', (_, steps, least) => {
  let count = 0;
  try {
    while (!steps.next().done) count++;
  } catch {
    // The operation does not apply.
  }
  expect(count).toBeGreaterThanOrEqual(least);
});
