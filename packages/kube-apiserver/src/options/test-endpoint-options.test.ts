import { expect, it } from 'vitest';
import { TestEndpointOptions } from './test-endpoint-options.js';

function faults(address: string, file = ''): readonly string[] {
  return Object.assign(new TestEndpointOptions(), { address, file })
    .validate()
    .map(({ message }) => message);
}

it('is off by default', () => {
  expect([new TestEndpointOptions().isOn, faults('')]).toEqual([false, []]);
});

it.each([
  ['127.0.0.1:0', '127.0.0.1', 0],
  ['127.8.8.8:7000', '127.8.8.8', 7000],
  ['[::1]:65535', '::1', 65_535],
  ['localhost:7000', '127.0.0.1', 7000],
])('listens on %s', (address, host, port) => {
  const options = Object.assign(new TestEndpointOptions(), { address });
  expect([options.validate(), options.listenAddress]).toEqual([[], { host, port }]);
});

it.each([
  ['0.0.0.0:0', '0.0.0.0 is not a loopback address, such as 127.0.0.1 or [::1]'],
  ['[::]:0', ':: is not a loopback address, such as 127.0.0.1 or [::1]'],
  ['[::ffff:192.0.2.1]:0', '::ffff:192.0.2.1 is not a loopback address, such as 127.0.0.1 or [::1]'],
  ['192.0.2.1:7000', '192.0.2.1 is not a loopback address, such as 127.0.0.1 or [::1]'],
  ['example.com:7000', 'example.com is not a loopback address, such as 127.0.0.1 or [::1]'],
  ['localhost.example.com:7000', 'localhost.example.com is not a loopback address, such as 127.0.0.1 or [::1]'],
  ['0127.0.0.1:7000', '0127.0.0.1 is not a loopback address, such as 127.0.0.1 or [::1]'],
  ['127.0.0.1', '"127.0.0.1" is not of the form 127.0.0.1:port'],
  [':7000', '":7000" is not of the form 127.0.0.1:port'],
  ['127.0.0.1:70000', '"127.0.0.1:70000" is not of the form 127.0.0.1:port'],
  ['true', '"true" is not of the form 127.0.0.1:port'],
])('refuses %s', (address, message) => {
  expect(faults(address)).toEqual([`--test-endpoint: ${message}`]);
});

it('refuses a file without an endpoint', () => {
  expect(faults('', 'some.json')).toEqual(['--test-endpoint-file: has no meaning without --test-endpoint']);
});
