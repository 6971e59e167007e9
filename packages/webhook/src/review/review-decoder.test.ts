import { expect, it } from 'vitest';
import { ReviewDecoder } from './review-decoder.js';

it('counts members before it parses', async () => {
  const decoder = new ReviewDecoder({ group: 'g', kind: 'K', schemas: {}, mostMembers: 2 });
  const decode = (text: string) => expect(decoder.decode(text, 'v1')).rejects;
  await decode('{"a":{"b":{"c":1}},').toThrow('more than 2 members');
  await decode('{"a":{"b":1},').toThrow("couldn't get version/kind; json parse error");
});
