import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { createTokenGenerator, openIdMetadata, type TokenClaims } from '@apiserver/authentication';
import { makeIssuerKey } from '@apiserver/authentication/testing';
import { newServerContext } from '@apiserver/generic-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeSigner, startFakeSigner } from '../testing/fake-signer.js';
import { startExternalSigner } from './index.js';

const claims: TokenClaims = { iss: 'https://issuer.example', sub: 'system:serviceaccount:ns:robot' };
let folder: string;
let path: string;
let signer: FakeSigner;
let open: (() => unknown)[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signer-'));
  path = join(folder, 'signer.sock');
  signer = await startFakeSigner(path, [makeIssuerKey('k1'), { ...makeIssuerKey('old', 'RS256'), excluded: true }]);
  open = [() => rmSync(folder, { recursive: true }), () => signer[Symbol.asyncDispose]()];
});
afterEach(async () => {
  for (const close of open.reverse()) await close();
});

/** A clock that tests advance. */
function steppedClock() {
  const timers: { readonly at: number; readonly callback: () => void }[] = [];
  const clock = {
    time: 1_000_000,
    now: () => clock.time,
    schedule: (callback: () => void, milliseconds: number) => {
      timers.push({ at: clock.time + milliseconds, callback });
      return () => {};
    },
    /** The pauses of all timers so far, in seconds. */
    pauses: () => timers.map(({ at }) => (at - 1_000_000) / 1_000),
    timers,
  };
  return clock;
}

async function started(maxExpiration = 0) {
  const { logger, lines } = createTestLogger();
  const context = newServerContext({ logger });
  open.push(() => context.disposables.disposeAsync());
  const found = await startExternalSigner(path, maxExpiration, context);
  const metrics = async () =>
    (await context.metrics.expose()).text.split('\n').filter((line) => /^apiserver_externaljwt_\w+ |_total/.test(line));
  return { ...found, lines, metrics };
}

describe('an external signer', () => {
  it('signs tokens, and has the keys that verify them', async () => {
    const { sign, keys, maxExpiration, metrics } = await started();
    expect(maxExpiration).toBe(3_600_000);
    const generator = createTokenGenerator({
      issuer: 'https://issuer.example',
      sign,
      now: () => 0,
      newTokenId: () => 'id',
    });
    const order = { namespace: 'ns', serviceAccount: { name: 'robot' }, audiences: ['api'], expirationSeconds: 600 };
    const { token, id } = await generator.generate(order);
    expect([id, token.split('.').length]).toEqual(['id', 3]);
    expect(
      (await keys.keysOf('k1')).map(({ algorithm, excludeFromDiscovery }) => [algorithm, excludeFromDiscovery]),
    ).toEqual([['ES256', false]]);
    expect((await keys.keysOf('')).map(({ keyId }) => keyId)).toEqual(['k1', 'old']);
    const { keySet } = openIdMetadata({
      issuer: 'https://issuer.example',
      jwksUri: '',
      externalAddress: 'x',
      keys: keys.all,
    });
    expect(JSON.parse(keySet).keys.map(({ kid }: { kid: string }) => kid)).toEqual(['k1']);
    expect(keys.maxAgeSeconds).toBeGreaterThan(55);
    expect(await metrics()).toEqual(
      expect.arrayContaining([
        'apiserver_externaljwt_fetch_keys_data_timestamp 1000',
        'apiserver_externaljwt_fetch_keys_request_total{code="OK"} 1',
        'apiserver_externaljwt_sign_request_total{code="OK"} 1',
      ]),
    );
  });

  it('is asked for the keys of an unknown id', async () => {
    const { keys, lines } = await started();
    expect(await keys.keysOf('new')).toEqual([]);
    signer.behaviour.keys = [makeIssuerKey('new')];
    expect((await keys.keysOf('new')).length).toBe(1);
    expect(lines.map(({ message }) => message)).toEqual(['Key id "new" not found after refresh']);
    signer.behaviour.failures = { FetchKeys: 'busy' };
    expect(await keys.keysOf('newer')).toEqual([]);
    expect((await keys.keysOf('new')).length).toBe(1);
  });

  it.each<[string, Partial<FakeSigner['behaviour']>, string]>([
    [
      'an unknown field',
      { header: { x: 1 } },
      'while validating header: while parsing header JSON: json: unknown field "x"',
    ],
    ['another type', { header: { typ: 'at+jwt' } }, 'while validating header: bad type'],
    ['no key id', { header: { kid: '' } }, 'while validating header: key id missing'],
    ['a long key id', { header: { kid: 'x'.repeat(1_025) } }, 'while validating header: key id longer than 1 kb'],
    ['another algorithm', { header: { alg: 'PS256' } }, 'while validating header: bad signing algorithm "PS256"'],
    [
      'an old key',
      { header: { kid: 'old' } },
      'while validating header: key used for signing JWT (kid: old) is excluded from OIDC discovery docs',
    ],
    ['no signature', { signature: '' }, 'empty signature returned'],
    ['a failure', { failures: { Sign: 'locked' } }, 'while signing jwt: rpc error: code = Unknown desc = locked'],
  ])('must not sign with %s', async (_what, behaviour, message) => {
    const { sign } = await started();
    Object.assign(signer.behaviour, behaviour);
    await expect(sign(claims)).rejects.toThrow(message);
  });

  const FILL =
    'while setting up external-jwt-signer: while initially filling key cache: while performing initial cache fill: while fetching token verification keys: ';
  it.each<[string, Partial<FakeSigner['behaviour']>, number, string]>([
    ['has no keys', { keys: [] }, 0, `${FILL}found no keys`],
    ['wants no refresh', { refreshHint: 0 }, 0, `${FILL}found invalid refresh hint (0s)`],
    ['states no time', { dataTimestamp: undefined }, 0, `${FILL}invalid data timestamp: proto: invalid nil Timestamp`],
    [
      'fails',
      { failures: { FetchKeys: 'keys fetch error' } },
      0,
      `${FILL}while getting externally supported jwt signing keys: rpc error: code = Unknown desc = keys fetch error`,
    ],
    [
      'has no metadata',
      { failures: { Metadata: 'metadata error' } },
      0,
      'while setting up external-jwt-signer: rpc error: code = Unknown desc = metadata error',
    ],
    [
      'allows too short tokens',
      { maxExpiration: 300 },
      0,
      'max token life supported by external-jwt-signer (300s) is less than acceptable (min 600s)',
    ],
    [
      'allows less than the flag',
      { maxExpiration: 600 },
      3_600_000,
      'service-account-max-token-expiration cannot be set longer than the token expiration supported by service-account-signing-endpoint: 1h0m0s > 10m0s',
    ],
  ])('that %s stops the start', async (_what, behaviour, maxExpiration, message) => {
    Object.assign(signer.behaviour, behaviour);
    await expect(started(maxExpiration)).rejects.toThrow(message);
  });

  it('is asked again as it says, and after 10 seconds if it fails', async () => {
    const clock = steppedClock();
    const { logger } = createTestLogger();
    const context = { ...newServerContext({ logger }), clock };
    open.push(() => context.disposables.disposeAsync());
    const { keys } = await startExternalSigner(path, 0, context);
    // The first timer of a minute is the deadline of a call.
    const refresh = clock.timers.findLast(({ at }) => at === clock.time + 60_000);
    signer.behaviour.failures = { FetchKeys: 'busy' };
    clock.time += 60_000;
    refresh?.callback();
    await expect.poll(() => clock.pauses()).toContain(70);
    expect(keys.all.length).toBe(2);
    expect(keys.maxAgeSeconds).toBe(0);
  });
});
