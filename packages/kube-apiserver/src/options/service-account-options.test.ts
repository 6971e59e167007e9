import { NamedFlagSets } from '@apiserver/component-base/flags';
import { describe, expect, it } from 'vitest';
import { ServiceAccountOptions } from './service-account-options.js';

function parsed(...args: readonly string[]): ServiceAccountOptions {
  const options = new ServiceAccountOptions();
  const sets = new NamedFlagSets();
  options.addFlags(sets.section('authentication'));
  sets.parse(args);
  return options;
}

describe('ServiceAccountOptions', () => {
  it('takes several issuers and key files, commas and all', () => {
    const options = parsed(
      '--service-account-issuer=https://a,b',
      '--service-account-issuer=https://c',
      '--service-account-key-file=x',
      '--service-account-key-file=y',
    );
    expect([options.issuers, options.keyFiles, options.validate()]).toEqual([
      ['https://a,b', 'https://c'],
      ['x', 'y'],
      [],
    ]);
  });

  it.each<[string[], string[]]>([
    [[], []],
    [['--service-account-issuer='], ['service-account-issuer should not be an empty string']],
    [['--service-account-issuer=a', '--service-account-issuer=a'], ['service-account-issuer "a" is already specified']],
    [['--service-account-jwks-uri=http://a'], ['service-account-jwks-uri requires https scheme, parsed as: http://a/']],
    [
      ['--service-account-max-token-expiration=59m'],
      ['the service-account-max-token-expiration must be between 1 hour and 2^32 seconds'],
    ],
    [['--service-account-max-token-expiration=1h'], []],
  ])('%j', (args, messages) => {
    expect(
      parsed(...args)
        .validate()
        .map(({ message }) => message),
    ).toEqual(messages);
  });

  it('warns of lives that are longer than the longest', () => {
    const given = ['--service-account-max-token-expiration=1h'];
    expect(parsed(...given).warnings()).toEqual([
      'service-account-extend-token-expiration is true, in order to correctly trigger safe transition logic, service-account-max-token-expiration must be set longer than 3607 seconds (currently 1h0m0s)',
      'service-account-extend-token-expiration is true, enabling tokens valid up to 31536000 seconds, which is longer than service-account-max-token-expiration set to 1h0m0s',
    ]);
    expect(parsed(...given, '--service-account-extend-token-expiration=false').warnings()).toEqual([]);
    const warningsAt = (life: string) => parsed(`--service-account-max-token-expiration=${life}`).warnings().length;
    expect(['3606s', '3607s', '31535999s', '31536000s', '0'].map(warningsAt)).toEqual([2, 1, 1, 0, 0]);
  });
});
