import { expect, it } from 'vitest';
import { expiryOf, signingToken } from './bootstrap-token.js';

function secret(values: Readonly<Record<string, string>>, name = 'bootstrap-token-abcdef') {
  const data = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data };
}

it.each([
  [{}, undefined],
  [{ expiration: '1970-01-01T00:00:05Z' }, 5000],
  [{ expiration: '1970-01-01T01:00:05+01:00' }, 5000],
  [{ expiration: 'tomorrow' }, 0],
])('%j expires at %s', (values, expected) => {
  expect(expiryOf(secret(values))).toBe(expected);
});

const valid = { 'token-id': 'abcdef', 'token-secret': 's', 'usage-bootstrap-signing': 'true' };

it('signs with a valid token only', () => {
  expect(signingToken(secret(valid), 0)).toEqual({ id: 'abcdef', secret: 's' });
  const invalid = [
    secret({ ...valid, 'usage-bootstrap-signing': 'yes' }),
    secret({ ...valid, 'token-secret': '' }),
    secret({ ...valid, 'token-id': 'ABCDEF' }, 'bootstrap-token-ABCDEF'),
    secret(valid, 'bootstrap-token-ghijkl'),
    secret({ ...valid, expiration: '1970-01-01T00:00:00Z' }),
  ];
  expect(invalid.map((one) => signingToken(one, 0))).toEqual(invalid.map(() => undefined));
});
