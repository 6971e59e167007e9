import { isIP } from 'node:net';
import { expect, it } from 'vitest';
import { ipFamily } from './ip-family.js';

const addresses = [
  ...['127.0.0.1', '0.0.0.0', '255.255.255.255', '256.0.0.1', '1.2.3', '01.2.3.4', '1.2.3.4 ', ''],
  ...[
    '::',
    '::1',
    'fd00::1:2',
    'FE80::A',
    '1:2:3:4:5:6:7:8',
    '::ffff:10.0.0.1',
    '1::2::3',
    '::fx',
    ':',
    '1:2:3',
    '[::1]',
  ],
  ...['kubernetes', 'localhost', 'a:b', '::1:80000', '12345::'],
];

it.each(addresses)('takes %j for what node:net takes it', (address) => {
  expect(ipFamily(address)).toBe(isIP(address));
});
