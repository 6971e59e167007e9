import { expect, it } from 'vitest';
import { messageOf } from '../../errors/message-of.js';
import { yamlToJson } from './yaml-to-json.js';

// The messages of go.yaml.in/yaml/v2.
it.each<[readonly number[], string | undefined]>([
  [[0xc3, 0xa9], undefined],
  [[0xff], 'yaml: invalid leading UTF-8 octet'],
  [[0x80], 'yaml: invalid leading UTF-8 octet'],
  [[0xe2, 0x82], 'yaml: invalid trailing UTF-8 octet'],
  [[0xc0, 0x80], 'yaml: invalid length of a UTF-8 sequence'],
  [[0xed, 0xa0, 0x80], 'yaml: invalid Unicode character'],
  [[0xf4, 0x90, 0x80, 0x80], 'yaml: invalid Unicode character'],
  [[0x7f], 'yaml: control characters are not allowed'],
  [[0xef, 0xbf, 0xbe], 'yaml: control characters are not allowed'],
  [[0xc2, 0x85, 0xef, 0xbb, 0xbf], undefined],
  [[0x01, 0xff], 'yaml: control characters are not allowed'],
  [[0xc2, 0x81, 0xff], 'yaml: control characters are not allowed'],
])('bytes %j in a text', (bytes, fault) => {
  const read = () => yamlToJson(Buffer.concat([Buffer.from('a: "'), Buffer.from(bytes), Buffer.from('"\n')]));
  expect(faultOf(read)).toBe(fault);
});

it('a sequence may not end with the text', () => {
  expect(faultOf(() => yamlToJson(Buffer.from([0x61, 0xe2, 0x82])))).toBe('yaml: incomplete UTF-8 octet sequence');
});

it('finds the fault amid a large text', () => {
  const letters = Buffer.from('é\ufffd'.repeat(400_000));
  const text = Buffer.concat([letters, Buffer.from([0xe2, 0x28]), letters]);
  expect(faultOf(() => yamlToJson(text))).toBe('yaml: invalid trailing UTF-8 octet');
});

it.each([
  ['in the same 512 bytes', 'a: 1\n---\n', 'yaml: control characters are not allowed'],
  ['further behind', `a: 1\n---\n${'# é\n'.repeat(200)}`, undefined],
])('sees a fault behind the first document %s as upstream', (_, text, fault) => {
  expect(faultOf(() => yamlToJson(Buffer.from(`${text}\x01`)))).toBe(fault);
});

function faultOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
