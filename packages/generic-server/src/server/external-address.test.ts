import { expect, it } from 'vitest';
import { externalAddress } from './external-address.js';

it.each([
  ['example.com', 'example.com:6443'],
  ['example.com:443', 'example.com:443'],
  ['192.0.2.1', '192.0.2.1:6443'],
  ['192.0.2.1:443', '192.0.2.1:443'],
  ['::1', '[::1]:6443'],
  ['[::1]', '[::1]:6443'],
  ['[::1]:443', '[::1]:443'],
  ['2001:db8::1', '[2001:db8::1]:6443'],
])('of %s is %s', (host, expected) => {
  expect(externalAddress(host, 6443)).toBe(expected);
});
