import { expect, it } from 'vitest';
import { discoverKeySet } from './discover-key-set.js';

const ISSUER = 'https://issuer.example';
const deep = `${'['.repeat(400_000)}${']'.repeat(400_000)}`;

function discover(body: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  return discoverKeySet({ get: async () => ({ code: 200, status: '200 OK', headers, body }) }, ISSUER);
}

it.each([
  ['lists in lists', `{"issuer":${deep}}`, 'array', 'issuer'],
  ['a number', `{"issuer":"${ISSUER}","jwks_uri":1}`, 'number', 'jwks_uri'],
])("refuses %s in Go's words", async (_, body, type, field) => {
  await expect(discover(body)).rejects.toThrow(
    `oidc: failed to decode provider discovery object: got Content-Type = application/json, but could not unmarshal as JSON: json: cannot unmarshal ${type} into Go struct field providerJSON.${field} of type string`,
  );
});

it('takes null for an absent text', async () => {
  await expect(discover('{"issuer":null}')).rejects.toThrow(`expected "${ISSUER}" got ""`);
  await expect(discover(`{"issuer":"${ISSUER}","jwks_uri":null}`)).rejects.toThrow('did not return JWKS URL');
  expect(await discover(`{"issuer":"${ISSUER}","jwks_uri":"https://keys"}`)).toBe('https://keys');
});
