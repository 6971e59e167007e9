import { expect, it } from 'vitest';
import { discoverKeySet } from './discover-key-set.js';

const ISSUER = 'https://issuer.example';
const ALGORITHMS = 'id_token_signing_alg_values_supported';
const deep = `${'['.repeat(400_000)}${']'.repeat(400_000)}`;

function discover(body: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  return discoverKeySet({ get: async () => ({ code: 200, status: '200 OK', headers, body }) }, ISSUER);
}

const IN = 'Go struct field providerJSON';

// As encoding/json fills the type of go-oidc 2.5.0.
it.each([
  ['lists in lists', `{"issuer":${deep}}`, `array into ${IN}.issuer of type string`],
  ['a number', `{"issuer":"${ISSUER}","jwks_uri":1}`, `number into ${IN}.jwks_uri of type string`],
  ['the first fault', '{"token_endpoint":{},"issuer":1}', `object into ${IN}.token_endpoint of type string`],
  ['a text as algorithms', `{"${ALGORITHMS}":"x"}`, `string into ${IN}.${ALGORITHMS} of type []string`],
  ['a number as an algorithm', `{"${ALGORITHMS}":[null,1]}`, `number into ${IN}.${ALGORITHMS} of type string`],
  ['a list', '[]', 'array into Go value of type oidc.providerJSON'],
  ['a truth value', 'true', 'bool into Go value of type oidc.providerJSON'],
])("refuses %s in Go's words", async (_, body, fault) => {
  await expect(discover(body)).rejects.toThrow(
    `oidc: failed to decode provider discovery object: got Content-Type = application/json, but could not unmarshal as JSON: json: cannot unmarshal ${fault}`,
  );
});

it('finds members in any case, and takes the last one', async () => {
  expect(await discover(`{"Issuer":"${ISSUER}","JWKS_URI":"https://a","jwks_uri":"https://keys"}`)).toBe(
    'https://keys',
  );
  await expect(discover('{"ISSUER":1}')).rejects.toThrow(`number into ${IN}.issuer of type string`);
});

it('takes null for an absent text', async () => {
  await expect(discover('{"issuer":null}')).rejects.toThrow(`expected "${ISSUER}" got ""`);
  await expect(discover(`{"issuer":"${ISSUER}","jwks_uri":null}`)).rejects.toThrow('did not return JWKS URL');
  await expect(discover('null')).rejects.toThrow(`expected "${ISSUER}" got ""`);
  const body = `{"issuer":"${ISSUER}","jwks_uri":"https://keys","${ALGORITHMS}":null,"scopes_supported":1}`;
  expect(await discover(body)).toBe('https://keys');
});
