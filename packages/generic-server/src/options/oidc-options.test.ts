import { NamedFlagSets } from '@apiserver/component-base/flags';
import { expect, it } from 'vitest';
import { OidcOptions } from './oidc-options.js';

function parsed(...args: readonly string[]): OidcOptions {
  const options = new OidcOptions();
  const sets = new NamedFlagSets();
  options.addFlags(sets.section('authentication'));
  sets.parse(args.map((arg) => `--oidc-${arg}`));
  return options;
}

const ISSUER = ['issuer-url=https://i', 'client-id=c'];

it.each([
  [[], undefined],
  [['issuer-url=https://i'], undefined],
  [['client-id=c'], undefined],
  [ISSUER, { username: { claim: 'sub', prefix: 'https://i#' } }],
  [[...ISSUER, 'username-claim=name'], { username: { claim: 'name', prefix: 'https://i#' } }],
  [[...ISSUER, 'username-claim=email'], { username: { claim: 'email', prefix: '' } }],
  [[...ISSUER, 'username-claim=email', 'username-prefix=p:'], { username: { claim: 'email', prefix: 'p:' } }],
  [[...ISSUER, 'username-prefix=p:'], { username: { claim: 'sub', prefix: 'p:' } }],
  [[...ISSUER, 'username-prefix=-'], { username: { claim: 'sub', prefix: '' } }],
  [
    [...ISSUER, 'groups-claim=g'],
    { username: { claim: 'sub', prefix: 'https://i#' }, groups: { claim: 'g', prefix: '' } },
  ],
  [
    [...ISSUER, 'groups-claim=g', 'groups-prefix=p:'],
    { username: { claim: 'sub', prefix: 'https://i#' }, groups: { claim: 'g', prefix: 'p:' } },
  ],
  [[...ISSUER, 'groups-prefix=p:'], { username: { claim: 'sub', prefix: 'https://i#' } }],
])('maps the claims of %j', (args, claimMappings) => {
  expect(parsed(...args).configuration()).toEqual(
    claimMappings && { issuer: { url: 'https://i', audiences: ['c'] }, claimMappings, claimValidationRules: [] },
  );
});

it('requires the claims of flags', () => {
  const options = parsed(...ISSUER, 'required-claim=a=1', 'required-claim=b=2');
  expect(options.configuration()?.claimValidationRules).toEqual([
    { claim: 'a', requiredValue: '1' },
    { claim: 'b', requiredValue: '2' },
  ]);
});

it.each([
  ...['issuer-url', 'client-id', 'ca-file', 'username-claim', 'username-prefix', 'groups-claim', 'groups-prefix'],
  ...['signing-algs', 'required-claim'],
])('notes that --oidc-%s is given', (flag) => {
  expect([parsed().flagsSet, parsed(`${flag}=a=b`).flagsSet]).toEqual([false, true]);
});
