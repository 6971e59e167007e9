import { expect, it } from 'vitest';
import { ReviewDecoder } from './review-decoder.js';

it('counts members before it parses', () => {
  const decoder = new ReviewDecoder({ group: 'g', kind: 'K', schemas: {}, mostMembers: 2 });
  const decode = (text: string) => () => decoder.decode(text, 'v1');
  expect(decode('{"a":{"b":{"c":1}},')).toThrow('more than 2 members');
  expect(decode('{"a":{"b":1},')).toThrow("couldn't get version/kind; json parse error");
});
