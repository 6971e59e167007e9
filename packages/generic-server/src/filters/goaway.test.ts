import type { Handler } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { callHandler } from '../testing/call-handler.js';
import { goaway } from './goaway.js';

const ok: Handler = () => ({ type: 'bytes', status: 200, body: undefined });

it.each<[chance: number, random: number, httpVersion: '1.1' | '2.0', header: string | undefined]>([
  [0.02, 0.019, '2.0', 'close'],
  [0.02, 0.02, '2.0', undefined],
  [0.02, 0, '1.1', undefined],
])('with the chance %d and the number %d over HTTP/%s: %s', async (chance, random, httpVersion, header) => {
  const { headers } = await callHandler(goaway(chance, () => random).wrap(ok), { httpVersion });
  expect(headers['connection']).toBe(header);
});
