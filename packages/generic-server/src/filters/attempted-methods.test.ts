import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { callHandler } from '../testing/call-handler.js';
import { attemptedMethods } from './attempted-methods.js';

it.each([
  ['nothing', {}, '/', 'Authentication failed, no credentials provided'],
  ['a bearer token', { authorization: ' Bearer x' }, '/', 'Authentication failed, attempted: bearer'],
  ['a word of its own', { authorization: 'bearer' }, '/', 'Authentication failed, no credentials provided'],
  ['a password', { authorization: 'Basic dTpw' }, '/', 'Authentication failed, attempted: basic'],
  ['no password', { authorization: 'Basic dQ==' }, '/', 'Authentication failed, no credentials provided'],
  [
    'a query',
    { authorization: 'Bearer x' },
    '/?access_token=y',
    'Authentication failed, attempted: bearer, access_token',
  ],
])('names %s', async (_what, headers, url, expected) => {
  const { body } = await callHandler(
    (exchange) => ({ type: 'bytes', status: 401, body: Buffer.from(attemptedMethods(exchange)) }),
    { url, headers },
  );
  expect(body).toBe(expected);
});
