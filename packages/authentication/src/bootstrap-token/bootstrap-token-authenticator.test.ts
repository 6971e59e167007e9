import { newNotFound } from '@apiserver/apimachinery/errors';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { describe, expect, it } from 'vitest';
import { type BootstrapSecret, bootstrapTokenAuthenticator } from './index.js';

const now = Date.parse('2030-01-01T00:00:00Z');
const encoded = (data: Record<string, string>) =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));

const data = {
  'token-id': 'abcdef',
  'token-secret': '0123456789abcdef',
  'usage-bootstrap-authentication': 'true',
};
const secret: BootstrapSecret = { metadata: {}, type: 'bootstrap.kubernetes.io/token', data: encoded(data) };
const user = { name: 'system:bootstrap:abcdef', groups: ['system:bootstrappers'], extra: {} };

function authenticate(kept: BootstrapSecret | Error, token = 'abcdef.0123456789abcdef') {
  const { logger, lines } = createTestLogger(3);
  const requested: string[] = [];
  const authenticator = bootstrapTokenAuthenticator({
    secret: async (name) => {
      requested.push(name);
      if (kept instanceof Error) throw kept;
      return kept;
    },
    logger,
    now: () => now,
  });
  return { response: authenticator.authenticateToken(token), requested, lines };
}

const withData = (changes: Record<string, string>) => ({ ...secret, data: encoded({ ...data, ...changes }) });

describe('a bootstrap token', () => {
  it('is the user of its secret', async () => {
    const { response, requested } = authenticate(secret);
    expect(await response).toEqual({ user });
    expect(requested).toEqual(['bootstrap-token-abcdef']);
  });

  it('has the groups of its secret, sorted', async () => {
    const groups = 'system:bootstrappers:z,system:bootstrappers:a:b-1,system:bootstrappers:z';
    expect(await authenticate(withData({ 'auth-extra-groups': groups })).response).toEqual({
      user: { ...user, groups: ['system:bootstrappers', 'system:bootstrappers:a:b-1', 'system:bootstrappers:z'] },
    });
  });

  it('is valid until its expiry', async () => {
    expect(await authenticate(withData({ expiration: '2030-01-01T00:00:01Z' })).response).toEqual({ user });
    expect(await authenticate(withData({ expiration: '2030-01-01T02:00:00+01:00' })).response).toEqual({ user });
  });

  it.each<[string, BootstrapSecret, string]>([
    ['being deleted', { ...secret, metadata: { deletionTimestamp: 'x' } }, 'is deleted and awaiting removal'],
    ['of another type', { ...secret, type: 'Opaque' }, 'has invalid type, expected bootstrap.kubernetes.io/token.'],
    ['without data', { ...secret, data: null }, 'has invalid type, expected bootstrap.kubernetes.io/token.'],
    ['wrong', withData({ 'token-secret': '0123456789abcdeg' }), 'has invalid value for key token-secret.'],
    ['too long', withData({ 'token-secret': '0123456789abcdef0' }), 'has invalid value for key token-secret.'],
    ['of another id', withData({ 'token-id': 'abcdeg' }), 'has invalid value for key token-id, expected abcdef.'],
    ['expired', withData({ expiration: '2030-01-01T00:00:00Z' }), 'has expired: 2030-01-01T00:00:00Z'],
    [
      'of no time',
      withData({ expiration: 'tomorrow' }),
      'has an unparseable expiration time (tomorrow). Treating as expired.',
    ],
    [
      'for signing',
      withData({ 'usage-bootstrap-authentication': 'TRUE' }),
      'not marked usage-bootstrap-authentication=true.',
    ],
    [
      'of a strange group',
      withData({ 'auth-extra-groups': 'system:masters' }),
      'has invalid value for key auth-extra-groups: bootstrap group "system:masters" is invalid (must match \\Asystem:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]\\z).',
    ],
  ])('that is %s is unknown, and the log says why', async (_what, kept, why) => {
    const { response, lines } = authenticate(kept);
    expect(await response).toBeUndefined();
    expect(lines.map(({ message }) => message)).toEqual([
      `Bootstrap secret kube-system/bootstrap-token-abcdef matching bearer token ${why}`,
    ]);
  });

  it('is unknown without a secret, and an error if the secret cannot be read', async () => {
    const { response } = authenticate(newNotFound({ group: '', resource: 'secrets' }, 'x'));
    expect(await response).toBeUndefined();
    await expect(authenticate(new Error('no store')).response).rejects.toThrow('no store');
  });

  it.each(['', 'abcdef', 'ABCDEF.0123456789abcdef', 'abcdef.0123456789abcdef\n', 'abcdef.0123456789abcde'])(
    'is not %j',
    async (token) => {
      const { response, requested } = authenticate(secret, token);
      expect([await response, requested]).toEqual([undefined, []]);
    },
  );
});
