import { NamedFlagSets } from '@apiserver/component-base/flags';
import { expect, it } from 'vitest';
import { loadAuthenticationConfig } from './load-authentication-config.js';
import { OidcOptions } from './oidc-options.js';

const url = 'https://issuer.example.com';
const flags = (changes: Partial<OidcOptions> = {}) =>
  Object.assign(new OidcOptions(), { issuerUrl: url, clientId: 'me', ...changes });

it('is the issuer of the flags without a file', async () => {
  expect(await loadAuthenticationConfig('', flags({ requiredClaims: { hd: 'example.com' } }))).toEqual({
    configuration: {
      jwt: [
        {
          issuer: { url, audiences: ['me'] },
          claimMappings: { username: { claim: 'sub', prefix: `${url}#` } },
          claimValidationRules: [{ claim: 'hd', requiredValue: 'example.com' }],
        },
      ],
    },
    file: undefined,
  });
  expect(await loadAuthenticationConfig('', new OidcOptions())).toBeUndefined();
  expect(await loadAuthenticationConfig('', flags({ clientId: '' }))).toBeUndefined();
});

it.each([
  ['the issuer', {}, `${url}#`],
  ['none', { usernamePrefix: '-' }, ''],
  ['what is given', { usernamePrefix: 'oidc:' }, 'oidc:'],
  ['none for addresses', { usernameClaim: 'email' }, ''],
  ['what is given for addresses', { usernameClaim: 'email', usernamePrefix: 'oidc:' }, 'oidc:'],
])('has %s as the prefix of user names', (_, changes, prefix) => {
  expect(flags(changes).configuration()?.claimMappings?.username).toMatchObject({ prefix });
});

it('takes the issuer from flags', () => {
  const options = new OidcOptions();
  const flags = new NamedFlagSets();
  options.addFlags(flags.section('authentication'));
  expect([options.flagsSet, options.configuration()]).toEqual([false, undefined]);
  const values = { 'issuer-url': url, 'client-id': 'me', 'username-claim': 'name', 'username-prefix': 'u:' };
  const groups = { 'groups-claim': 'groups', 'groups-prefix': 'g:', 'required-claim': 'hd=example.com' };
  flags.parse(Object.entries({ ...values, ...groups }).map(([name, value]) => `--oidc-${name}=${value}`));
  expect([options.flagsSet, options.configuration()]).toEqual([
    true,
    {
      issuer: { url, audiences: ['me'] },
      claimMappings: { username: { claim: 'name', prefix: 'u:' }, groups: { claim: 'groups', prefix: 'g:' } },
      claimValidationRules: [{ claim: 'hd', requiredValue: 'example.com' }],
    },
  ]);
});
