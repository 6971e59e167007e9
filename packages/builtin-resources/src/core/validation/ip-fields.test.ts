import { aggregateFieldErrors, FieldPath } from '@apiserver/apimachinery/field';
import { cidrContains, formatCIDR, formatIPAddress, parseCIDR, parseIPAddress } from '@apiserver/apimachinery/values';
import { describe, expect, it } from 'vitest';
import { validateEndpointIP } from './endpoint-ip.js';
import {
  validateInterfaceAddress,
  validateLegacyCIDR,
  validateLegacyIP,
  warningsForCIDR,
  warningsForIP,
} from './ip-fields.js';

const path = FieldPath.of('ip');

describe('addresses', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['010.001.0.0', '10.1.0.0'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['FE80:0:0:0:0:0:0:0abc', 'fe80::abc'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
  ])('%s is %s', (text, canonical) => {
    const address = parseIPAddress(text);
    expect(address && formatIPAddress(address.bytes)).toBe(canonical);
  });

  it.each(['', '1.2.3', '1.2.3.256', '1.2.3.4.5', ':', ':::', '1::2::3', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9'])(
    '%j is no address',
    (text) => expect(parseIPAddress(text)).toBeUndefined(),
  );

  it.each(['12345::', '1:2:3:4:5:6:7:8::', 'fe80::1%eth0', '1.2.3.4::', 'g::', 'a', '1.2.3.-4', '1:2:3:4:5:6:7:'])(
    '%j is no network',
    (text) => expect(parseIPAddress(text)).toBeUndefined(),
  );
});

it.each([
  ['10.0.0.1', ''],
  ['FE80:0:0:0:0:0:0:0abc', ''],
  ['nope', 'ip: Invalid value: "nope": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
  ['010.0.0.1', 'ip: Invalid value: "010.0.0.1": must not have leading 0s'],
  ['::ffff:1.2.3.4', 'ip: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address'],
])('a field with the address %s: %s', (text, message) => {
  expect(aggregateFieldErrors(validateLegacyIP(text, path, { strict: true }))).toBe(message);
  expect(validateLegacyIP(text, path, { strict: true, existing: new Set([text]) })).toEqual([]);
});

it.each([
  ['10.0.0.0/8', ''],
  ['2001:db8::/64', ''],
  ['10.0.0.0/33', 'ip: Invalid value: "10.0.0.0/33": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
  ['10.0.0.0', 'ip: Invalid value: "10.0.0.0": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
  ['10.0.0.0/08', 'ip: Invalid value: "10.0.0.0/08": must not have leading 0s in IP or prefix length'],
  ['::ffff:1.2.3.0/120', 'ip: Invalid value: "::ffff:1.2.3.0/120": must not have an IPv4-mapped IPv6 address'],
  ['10.0.0.1/8', 'ip: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length'],
])('a field with the network %s: %s', (text, message) => {
  expect(aggregateFieldErrors(validateLegacyCIDR(text, path, { strict: true }))).toBe(message);
  expect(validateLegacyCIDR(text, path, { strict: true, existing: new Set([text]) })).toEqual([]);
});

it.each(['10.0.0.1', '010.0.0.1', '::ffff:1.2.3.4', 'FE80:0::abc'])(
  'a field with the address %s without strictness',
  (text) => {
    expect(validateLegacyIP(text, path, { strict: false })).toEqual([]);
  },
);

it.each(['10.0.0.0/08', '::ffff:1.2.3.0/120', '10.0.0.1/8'])(
  'a field with the network %s without strictness',
  (text) => {
    expect(validateLegacyCIDR(text, path, { strict: false })).toEqual([]);
  },
);

it('never takes what is no address or network', () => {
  const loose = { strict: false };
  expect(
    aggregateFieldErrors([...validateLegacyIP('nope', path, loose), ...validateLegacyCIDR('1.2.3.4', path, loose)]),
  ).toBe(
    '[ip: Invalid value: "nope": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff), ip: Invalid value: "1.2.3.4": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)]',
  );
});

it.each([
  ['10.0.0.1', []],
  ['nope', []],
  ['010.0.0.1', ['ip: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"']],
  ['FE80::1', ['ip: IPv6 address "FE80::1" should be in RFC 5952 canonical format ("fe80::1")']],
])('warnings for the address %s', (text, warnings) => {
  expect(warningsForIP(text, path)).toEqual(warnings);
});

it.each([
  ['10.0.0.0/8', []],
  [
    '10.0.0.1/8',
    ['ip: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)'],
  ],
  ['::ffff:1.2.3.0/120', ['ip: non-standard CIDR value "::ffff:1.2.3.0/120" is invalid: use "1.2.3.0/24"']],
  [
    '::ffff:1.2.3.4/64',
    [
      'ip: CIDR value "::ffff:1.2.3.4/64" is ambiguous in this context (should be "::/64" or "1.2.3.4/128"?)',
      'ip: non-standard CIDR value "::ffff:1.2.3.4/64" is invalid: use "::/64"',
    ],
  ],
  [
    '::ffff:0.0.0.0/90',
    [
      'ip: CIDR value "::ffff:0.0.0.0/90" is ambiguous in this context (should be "::ffc0:0:0/90" or "0.0.0.0/128"?)',
      'ip: non-standard CIDR value "::ffff:0.0.0.0/90" is invalid: use "::ffc0:0:0/90"',
    ],
  ],
  ['FE80::/64', ['ip: IPv6 CIDR value "FE80::/64" should be in RFC 5952 canonical format ("fe80::/64")']],
])('warnings for the network %s', (text, warnings) => {
  expect(warningsForCIDR(text, path)).toEqual(warnings);
});

it.each([
  ['10.1.0.0/16', '10.1.255.255', true],
  ['10.1.0.0/16', '10.2.0.0', false],
  ['10.1.0.0/16', '::1', false],
  ['2001:db8::/33', '2001:db8:7fff::', true],
  ['2001:db8::/33', '2001:db8:8000::', false],
])('%s contains %s: %s', (network, address, contained) => {
  const cidr = parseCIDR(network);
  const candidate = parseIPAddress(address);
  expect(cidr && candidate && cidrContains(cidr, candidate.bytes)).toBe(contained);
  expect(cidr && formatCIDR(cidr)).toBe(network);
});

it.each([
  ['10.0.0.1', ''],
  ['0.0.0.0', 'may not be unspecified (0.0.0.0)'],
  ['::', 'may not be unspecified (::)'],
  ['127.1.2.3', 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  ['::1', 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  ['169.254.1.1', 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  ['febf::1', 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  ['224.0.0.9', 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
  ['ff02::1', 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
  ['x', 'must be a valid IP address'],
])('an endpoint with the address %s: %s', (text, fault) => {
  const message = fault === '' ? '' : `ip: Invalid value: "${text}": ${fault}`;
  expect(aggregateFieldErrors(validateEndpointIP(text, path))).toBe(message);
});

it.each([
  ['10.9.8.7/24', ''],
  ['2001:db8::1/64', ''],
  ['::ffff:10.9.8.7/120', '10.9.8.7/24'],
  ['::ffff:10.9.8.7/24', '10.9.8.7/24'],
  ['::ffff:10.9.8.7/33', '10.9.8.7/-63'],
])('an interface with the address %s', (text, canonical) => {
  const faults = validateInterfaceAddress(text, path).map(({ detail }) => detail);
  expect(faults).toEqual(canonical === '' ? [] : [`must be in canonical form ("${canonical}")`]);
});
