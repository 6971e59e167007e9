import { identityTransformer } from '@apiserver/registry-store';
import type { Encryption } from '@apiserver/registry-store/encryption';
import { describe, expect, it } from 'vitest';
import { encryptionChecks, encryptionHooks, transformersOf } from './encryption-at-rest.js';

const check = { name: 'kms-providers', check: async () => {} };

const encryption = (reload: boolean): Encryption => ({
  transformerFor: ({ resource }) => ({
    fromStorage: (bytes) => ({ bytes, stale: false }),
    toStorage: () => Buffer.from(resource),
  }),
  checks: [check],
  ...(reload ? { follow: () => {} } : {}),
  [Symbol.asyncDispose]: async () => {},
});

describe('encryption of a server', () => {
  it('covers everything except resources without an API, which other servers read unencrypted', () => {
    const transformerFor = transformersOf({ encryption: encryption(false) });
    const stored = (keyPrefix: string) => {
      const transformer = transformerFor?.({ group: '', resource: 'endpoints', keyPrefix });
      return transformer === identityTransformer ? 'as it is' : 'encrypted';
    };
    expect([stored('services/endpoints'), stored('masterleases')]).toEqual(['encrypted', 'as it is']);
  });

  it('has a hook only where its file is followed', () => {
    expect(Object.keys(encryptionHooks({ encryption: encryption(true) }))).toEqual([
      'start-encryption-provider-config-automatic-reload',
    ]);
    expect(encryptionHooks({ encryption: encryption(false) })).toEqual({});
    expect(encryptionChecks({ encryption: encryption(false) })).toEqual([check]);
  });

  it('is absent if none is configured', () => {
    const nothing = { encryption: undefined };
    expect([transformersOf(nothing), encryptionHooks(nothing), encryptionChecks(nothing)]).toEqual([undefined, {}, []]);
  });
});
