import { expect, it } from 'vitest';
import { ReviewDecoder } from './review-decoder.js';

it('counts bytes and values before it parses', async () => {
  const decoder = new ReviewDecoder({ group: 'g', kind: 'K', schemas: {}, mostValues: 3, mostBytes: 20 });
  const decode = (text: string) => expect(decoder.decode(text, 'v1')).rejects;
  await decode('{"a":[1,2,3,4,5,6,7'.padEnd(21)).toThrow('more than 20 bytes');
  await decode('{"a":[1,2,3,4,5,6,7').toThrow('more than 3 values');
  await decode('{"a":[1,2,3,4').toThrow("couldn't get version/kind; json parse error");
});

it('counts members before it parses', async () => {
  const decoder = new ReviewDecoder({ group: 'g', kind: 'K', schemas: {}, mostMembers: 2 });
  const decode = (text: string) => expect(decoder.decode(text, 'v1')).rejects;
  await decode('{"a":{"b":{"c":1}},').toThrow('more than 2 members');
  await decode('{"a":{"b":1},').toThrow("couldn't get version/kind; json parse error");
});
