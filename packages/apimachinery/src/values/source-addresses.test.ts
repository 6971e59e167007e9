import { expect, it } from 'vitest';
import { sourceAddresses } from './source-addresses.js';

it.each([
  ['unknown, 010.97.1.1 ,::ffff:192.0.2.1', '', ['10.97.1.1', '192.0.2.1', '192.0.2.9']],
  ['10.97.1.1', '10.97.1.1', ['10.97.1.1', '192.0.2.9']],
  ['', '10.97.1.1', ['10.97.1.1', '192.0.2.9']],
  ['10.97.1.1,192.0.2.9', '', ['10.97.1.1', '192.0.2.9']],
  [`${'0'.repeat(50)}10.97.1.1`, '', ['10.97.1.1', '192.0.2.9']],
  [`${'0'.repeat(100)}10.97.1.1`, '1:'.repeat(500_000), ['192.0.2.9']],
])('the addresses of %.40s and %.40s', (forwardedFor, realIp, addresses) => {
  expect(sourceAddresses({ forwardedFor, realIp, peer: '192.0.2.9' })).toEqual(addresses);
});
