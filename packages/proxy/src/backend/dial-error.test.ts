import { expect, it } from 'vitest';
import { dialErrorText } from './dial-error.js';

const location = { scheme: 'https', hostname: 'backend', port: '', path: '/', rawQuery: '' } as const;
/** An error of Node when it connects. */
const failed = (code: string) => Object.assign(new Error(`connect ${code}`), { code, address: '10.0.0.1' });

it.each([
  ['ECONNREFUSED', 'dial tcp 10.0.0.1:443: connect: connection refused'],
  ['ETIMEDOUT', 'dial tcp 10.0.0.1:443: i/o timeout'],
  ['EMFILE', 'dial tcp 10.0.0.1:443: socket: too many open files'],
  ['ENFILE', 'dial tcp 10.0.0.1:443: socket: too many open files in system'],
  ['ENEW', 'connect ENEW'],
])('tells of %s in words of Go', (code, text) => {
  expect(dialErrorText(failed(code), location)).toBe(text);
});
