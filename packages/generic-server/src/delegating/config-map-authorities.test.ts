import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { expect, it, vi } from 'vitest';
import { ConfigMapAuthorities } from './config-map-authorities.js';

const [first = '', second = ''] = ['first', 'second'].map(
  (commonName) => makeTestCertificate({ commonName, authority: true }).certificate,
);

it.each<[string, readonly string[], string, readonly [changes: number, errors: number]]>([
  ['nothing', [], '', [0, 0]],
  ['one', [first], first, [1, 0]],
  ['the same again', [first, first], first, [1, 0]],
  ['another', [first, second], second, [2, 0]],
  ['one without certificates', [first, 'x'], first, [1, 1]],
  ['none after one', [first, ''], first, [1, 1]],
  ['one after one without certificates', ['x', second], second, [1, 1]],
])('keeps the last usable bundle: %s', (_, bundles, expected, [changes, errors]) => {
  const { logger, lines } = createTestLogger();
  const authorities = new ConfigMapAuthorities('some', logger);
  const listeners = [vi.fn(), vi.fn()];
  for (const listener of listeners) authorities.onChange(listener);
  for (const bundle of bundles) authorities.take(bundle);
  expect(authorities.contents).toEqual([expected]);
  expect(listeners.map((listener) => listener.mock.calls.length)).toEqual([changes, changes]);
  expect(lines).toEqual(
    Array(errors).fill({
      level: 'error',
      message: 'Unable to use the CA bundle of the ConfigMap',
      fields: { name: '"some"' },
      error: expect.any(Error),
    }),
  );
});
