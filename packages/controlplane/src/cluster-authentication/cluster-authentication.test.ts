import { X509Certificate } from 'node:crypto';
import type { ConfigMap } from '@apiserver/api/core/v1';
import {
  newAlreadyExists,
  newConflict,
  newInvalid,
  newRequestEntityTooLarge,
  newServiceUnavailable,
} from '@apiserver/apimachinery/errors';
import { type FieldError, FieldPath, fieldForbidden, fieldTooLong } from '@apiserver/apimachinery/field';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import { createTestLogger, throwingLogger as logger } from '@apiserver/apiserver-contracts/testing';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { ManualClock } from '@apiserver/registry-store/testing';
import { describe, expect, it, vi } from 'vitest';
import { fakeClient } from '../testing/fake-client.js';
import { type AuthenticationInfo, combinedData, type RequestHeaderInfo } from './authentication-info.js';
import { clusterAuthenticationController } from './cluster-authentication-controller.js';

const authority = (commonName: string) => makeTestCertificate({ commonName, authority: true }).certificate;
const [one, two] = [authority('one'), authority('two')];
const now = Date.now();
const proxy: RequestHeaderInfo = {
  clientCA: two,
  allowedNames: ['front-proxy'],
  usernameHeaders: ['X-Remote-User'],
  uidHeaders: [],
  groupHeaders: ['X-Remote-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-'],
};

describe('combinedData', () => {
  it('omits the front proxy keys if no proxy is trusted', () => {
    const data = combinedData({}, { clientCA: one, requestHeader: undefined }, now);
    expect(Object.keys(data)).toEqual(['client-ca-file']);
    expect(data['client-ca-file']?.trim()).toBe(one.trim());
  });

  it('adds to the entries of other servers without duplicates, and keeps their order', () => {
    const first = combinedData({}, { clientCA: one, requestHeader: proxy }, now);
    const more = { ...proxy, allowedNames: ['another', 'front-proxy'], uidHeaders: ['X-Remote-Uid'] };
    const data = combinedData(first, { clientCA: `${one}\n${two}`, requestHeader: more }, now);
    expect({ ...data, 'client-ca-file': '', 'requestheader-client-ca-file': '' }).toEqual({
      'client-ca-file': '',
      'requestheader-client-ca-file': '',
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-uid-headers': '["X-Remote-Uid"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-allowed-names': '["front-proxy","another"]',
    });
    expect(data['client-ca-file']?.match(/BEGIN/g)).toHaveLength(2);
  });

  it('removes expired certificates', () => {
    const existing = { 'client-ca-file': one };
    const later = now + 200 * 365 * 24 * 3600 * 1000;
    expect(combinedData(existing, { clientCA: '', requestHeader: undefined }, later)).toEqual({});
  });

  it('throws for invalid lists', () => {
    const existing = { 'requestheader-client-ca-file': two, 'requestheader-allowed-names': '{}' };
    expect(() => combinedData(existing, { clientCA: '', requestHeader: undefined }, now)).toThrow('no list of strings');
  });
});

describe('combinedData of other entries', () => {
  const of = (existing: Record<string, string>, required: Partial<AuthenticationInfo> = {}, time = now) =>
    combinedData(existing, { clientCA: '', requestHeader: undefined, ...required }, time);

  it('keeps those of another server, in the form of Node', () => {
    const data = of({
      'client-ca-file': one,
      'requestheader-client-ca-file': two,
      'requestheader-allowed-names': '["a"]',
      'requestheader-group-headers': '',
    });
    expect([data['client-ca-file'], data['requestheader-client-ca-file']].map((text) => text?.trim())).toEqual([
      one.trim(),
      two.trim(),
    ]);
    const { 'client-ca-file': _clients, 'requestheader-client-ca-file': _proxies, ...lists } = data;
    expect(lists).toEqual({
      'requestheader-username-headers': '[]',
      'requestheader-uid-headers': '[]',
      'requestheader-group-headers': '[]',
      'requestheader-extra-headers-prefix': '[]',
      'requestheader-allowed-names': '["a"]',
    });
    expect(of({}, { clientCA: `${one}\n${two}` })['client-ca-file']).toBe(
      of({ 'client-ca-file': one }, { clientCA: two })['client-ca-file'],
    );
  });

  it('takes only plain certificates of a bundle', () => {
    const key = makeTestCertificate({ commonName: 'three' }).key;
    const withHeader = two.replace('CERTIFICATE-----\n', 'CERTIFICATE-----\nProc-Type: 4,ENCRYPTED\n\n');
    expect(of({ 'client-ca-file': `${key}\n${withHeader}\n${one}` })['client-ca-file']?.trim()).toBe(one.trim());
  });

  it('keeps a certificate for five minutes after its end', () => {
    const end = Date.parse(new X509Certificate(one).validTo);
    const kept = (milliseconds: number) => 'client-ca-file' in of({ 'client-ca-file': one }, {}, end + milliseconds);
    expect([kept(0), kept(299_999), kept(300_000)]).toEqual([true, true, false]);
  });

  it.each(['{}', '[1]', '"a"'])('refuses the list %s', (list) => {
    const existing = { 'requestheader-client-ca-file': two, 'requestheader-allowed-names': list };
    expect(() => of(existing)).toThrow(new Error('requestheader-allowed-names is no list of strings'));
  });
});

describe('clusterAuthenticationController', () => {
  const OF_CONFIG_MAP = { group: '', resource: 'configmaps' };
  const invalid = (error: FieldError) => newInvalid({ group: '', kind: 'ConfigMap' }, 'x', [error]);
  it.each<[string, Error, boolean]>([
    ['is too large for a request', newRequestEntityTooLarge('limit is 1'), true],
    ['is too long', invalid(fieldTooLong(FieldPath.of('data'), 9)), true],
    ['has no other fault', invalid(fieldForbidden(FieldPath.of('data'), 'x')), false],
    ['meets a storage that works', newServiceUnavailable('Too long'), false],
    ['is not changed meanwhile', newConflict(OF_CONFIG_MAP, 'x', 'Too long'), false],
  ])('deletes a ConfigMap that cannot be written only if it %s', async (_what, failure, isDeleted) => {
    const client = fakeClient();
    const configMaps = client.resource<ConfigMap>({ group: '', version: 'v1', resource: 'configmaps' });
    const metadata = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };
    await configMaps.create('kube-system', { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: {} });
    Object.assign(configMaps, { update: () => Promise.reject(failure), create: () => Promise.reject(failure) });
    const stop = new AbortController();
    const hook = clusterAuthenticationController({
      info: () => ({ clientCA: one, requestHeader: undefined }),
      onChange: () => {},
      whenReady: async () => {},
      clock: new ManualClock(now),
      random: () => 0,
      logger: createTestLogger().logger,
    });
    await hook.run({ loopbackClient: { resource: () => configMaps as never }, signal: stop.signal });
    await eventLoopTurns();
    stop.abort();
    expect((await configMaps.list('kube-system')).items.length).toBe(isDeleted ? 0 : 1);
    expect(hook.name).toBe('start-cluster-authentication-info-controller');
  });

  it('writes the ConfigMap, restores it, and follows changes', async () => {
    const client = fakeClient();
    const configMaps = client.resource<ConfigMap>({ group: '', version: 'v1', resource: 'configmaps' });
    const read = () => configMaps.get('kube-system', 'extension-apiserver-authentication');
    let info: AuthenticationInfo = { clientCA: one, requestHeader: undefined };
    let changed = () => {};
    const stop = new AbortController();
    const hook = clusterAuthenticationController({
      info: () => info,
      onChange: (listener) => {
        changed = listener;
      },
      whenReady: async () => {},
      clock: new ManualClock(now),
      random: () => 0,
      logger,
    });
    await hook.run({ loopbackClient: client, signal: stop.signal });
    await eventLoopTurns();
    expect(Object.keys((await read()).data ?? {})).toEqual(['client-ca-file']);
    await configMaps.delete('kube-system', 'extension-apiserver-authentication');
    await eventLoopTurns();
    expect((await read()).metadata.name).toBe('extension-apiserver-authentication');
    info = { clientCA: one, requestHeader: proxy };
    changed();
    await eventLoopTurns();
    expect((await read()).data?.['requestheader-allowed-names']).toBe('["front-proxy"]');
    stop.abort();
  });

  /** A running controller whose ConfigMaps a test can look at, and the moment of readiness. */
  async function running() {
    const client = fakeClient();
    const configMaps = client.resource<ConfigMap>({ group: '', version: 'v1', resource: 'configmaps' });
    const lists = vi.spyOn(configMaps, 'list');
    const ready = Promise.withResolvers<void>();
    const clock = new ManualClock(now);
    const stop = new AbortController();
    const hook = clusterAuthenticationController({
      info: () => ({ clientCA: one, requestHeader: undefined }),
      onChange: () => {},
      clock,
      random: () => 0,
      whenReady: () => ready.promise,
      logger,
    });
    await hook.run({ loopbackClient: { resource: () => configMaps as never }, signal: stop.signal });
    await eventLoopTurns();
    const stored = async () => (await configMaps.list('')).items.map(({ object }) => object);
    return { configMaps, lists, ready, clock, stop, stored };
  }

  it('looks at nothing before the server is ready, and at one ConfigMap then', async () => {
    const { lists, ready, stop, stored } = await running();
    expect(lists).not.toHaveBeenCalled();
    ready.resolve();
    await eventLoopTurns();
    const fieldSelector = 'metadata.name=extension-apiserver-authentication';
    expect(lists.mock.calls[0]).toMatchObject(['kube-system', { fieldSelector }]);
    const metadata = { name: 'extension-apiserver-authentication', namespace: 'kube-system' };
    expect(await stored()).toMatchObject([{ apiVersion: 'v1', kind: 'ConfigMap', metadata }]);
    stop.abort();
  });

  it('does nothing in a server that stops before it is ready', async () => {
    const { lists, ready, stop, stored } = await running();
    stop.abort();
    ready.resolve();
    await eventLoopTurns();
    expect(lists).not.toHaveBeenCalled();
    expect(await stored()).toEqual([]);
  });

  it('looks again every minute, until the server stops', async () => {
    const { configMaps, ready, clock, stop } = await running();
    ready.resolve();
    await eventLoopTurns();
    const gets = vi.spyOn(configMaps, 'get');
    const after = async (milliseconds: number) => {
      clock.advance(milliseconds);
      await eventLoopTurns();
      return gets.mock.calls.length;
    };
    expect([await after(59_999), await after(1), await after(60_000)]).toEqual([0, 1, 2]);
    stop.abort();
    expect(await after(60_000)).toBe(2);
  });

  it.each<[string, Error, number]>([
    ['a conflict', newConflict({ group: '', resource: 'configmaps' }, 'x', 'changed'), 0],
    ['an object of another server', newAlreadyExists({ group: '', resource: 'configmaps' }, 'x'), 0],
    ['another failure', new Error('no storage'), 1],
  ])('logs %s only if it is a failure', async (_what, failure, logged) => {
    const configMaps = fakeClient().resource<ConfigMap>({ group: '', version: 'v1', resource: 'configmaps' });
    const rejecting = {
      create: () => Promise.reject(failure),
      get: configMaps.get.bind(configMaps),
      list: configMaps.list.bind(configMaps),
      watch: configMaps.watch.bind(configMaps),
    };
    const { logger: recorder, lines } = createTestLogger();
    const stop = new AbortController();
    const hook = clusterAuthenticationController({
      info: () => ({ clientCA: one, requestHeader: undefined }),
      onChange: () => {},
      whenReady: async () => {},
      clock: new ManualClock(now),
      random: () => 0,
      logger: recorder,
    });
    await hook.run({ loopbackClient: { resource: () => rejecting as never }, signal: stop.signal });
    await eventLoopTurns();
    stop.abort();
    expect(lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual(
      Array(logged).fill('Unable to write the authentication info of the cluster'),
    );
  });
});
