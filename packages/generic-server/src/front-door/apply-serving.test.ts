import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newGenericServerConfig } from '../config/generic-server-config.js';
import { newServerContext } from '../config/server-context.js';
import type { AuthoritySource } from '../dynamic-certificates/authority-source.js';
import { SecureServingOptions } from '../options/secure-serving-options.js';
import type { TlsMaterial } from '../serving/tls/tls-material.js';
import type { ServingSettings } from './api-server-options.js';
import { applyServing, makeIdentity } from './apply-serving.js';

let folder: string;
const started = process.cwd();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'apply-serving-'));
});
afterEach(() => {
  process.chdir(started);
  rmSync(folder, { recursive: true });
});

const newConfig = () => newGenericServerConfig(newServerContext({ logger: silentLogger }));

async function namesOf(serving: ServingSettings | SecureServingOptions): Promise<string> {
  const { identity } = await makeIdentity(serving, newConfig());
  return new X509Certificate(identity.serving.certificate).subjectAltName ?? '';
}

const LOCAL_NAMES = 'DNS:localhost';
const LOCAL_ADDRESSES = 'IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1';

describe('makeIdentity', () => {
  it.each<[ServingSettings, string]>([
    [{}, `${LOCAL_NAMES}, ${LOCAL_ADDRESSES}`],
    [{ address: '0.0.0.0' }, `${LOCAL_NAMES}, ${LOCAL_ADDRESSES}`],
    [{ address: '::' }, `${LOCAL_NAMES}, ${LOCAL_ADDRESSES}`],
    [{ address: '127.0.0.1', names: ['localhost'] }, `${LOCAL_NAMES}, ${LOCAL_ADDRESSES}`],
    [{ address: '10.0.0.1' }, `${LOCAL_NAMES}, ${LOCAL_ADDRESSES}, IP Address:10.0.0.1`],
    [
      { names: ['sea.example.com', '10.0.0.2'] },
      `${LOCAL_NAMES}, DNS:sea.example.com, ${LOCAL_ADDRESSES}, IP Address:10.0.0.2`,
    ],
  ])('certifies the names of %j', async (serving, names) => {
    expect(await namesOf(serving)).toBe(names);
  });

  it('keeps the certificates of settings where they say so', async () => {
    const config = newConfig();
    expect((await makeIdentity({}, config)).directory).toBeUndefined();
    const certificateDirectory = join(folder, 'pki');
    const first = await makeIdentity({ certificateDirectory }, config);
    const second = await makeIdentity({ certificateDirectory }, config);
    expect([first.directory, second]).toEqual([certificateDirectory, first]);
    expect(readFileSync(join(certificateDirectory, 'apiserver.crt'), 'utf8')).toBe(first.identity.serving.certificate);
  });

  it('keeps those of options in their folder, or in that of extension servers', async () => {
    process.chdir(folder);
    const options = new SecureServingOptions();
    options.bindAddress = '10.0.0.3';
    const { directory, identity } = await makeIdentity(options, newConfig());
    expect(directory).toBe('apiserver.local.config/certificates');
    expect(existsSync('apiserver.local.config/certificates/apiserver.crt')).toBe(true);
    expect(new X509Certificate(identity.serving.certificate).subjectAltName).toContain('IP Address:10.0.0.3');
    options.certDirectory = join(folder, 'certs');
    expect((await makeIdentity(options, newConfig())).directory).toBe(join(folder, 'certs'));
    options.certFile = '/some.crt';
    expect((await makeIdentity(options, newConfig())).directory).toBeUndefined();
    expect(readdirSync(folder).sort()).toEqual(['apiserver.local.config', 'certs']);
  });
});

/** Authorities that change with `set`. */
function changingAuthorities(bundle: string): AuthoritySource & { set(bundle: string): void; followed: AbortSignal[] } {
  const listeners: (() => void)[] = [];
  return {
    name: 'changing',
    contents: [bundle],
    followed: [],
    onChange: (listener) => void listeners.push(listener),
    follow(signal) {
      this.followed.push(signal);
    },
    set(changed) {
      Object.assign(this, { contents: [changed] });
      for (const listener of listeners) listener();
    },
  };
}

describe('applyServing', () => {
  it('listens on a free port of 127.0.0.1 by default, with the made certificate', async () => {
    const config = newConfig();
    const made = await makeIdentity({}, config);
    const tls = applyServing({}, config, made, []);
    expect(tls).toEqual({ ...made.identity.serving, clientCA: '', minVersion: 'TLSv1.2', cipherSuites: [] });
    expect(config.secureServing).toMatchObject({
      address: '127.0.0.1',
      port: 0,
      tls,
      http2MaxStreamsPerConnection: 0,
      disableHttp2: false,
    });
  });

  it('takes address, port, certificate and authorities from the settings', async () => {
    const config = newConfig();
    const certificate = makeTestCertificate({ commonName: 'given' });
    const serving = { address: '::1', port: 1234, certificate, clientCA: 'own' };
    const made = await makeIdentity(serving, config);
    const tls = applyServing(serving, config, made, [changingAuthorities('first'), changingAuthorities('second')]);
    expect(tls).toMatchObject({ ...certificate, clientCA: 'own\nfirst\nsecond' });
    expect(config.secureServing).toMatchObject({ address: '::1', port: 1234, tls });
  });

  it('follows the authorities', async () => {
    const config = newConfig();
    const authorities = changingAuthorities('first');
    applyServing({}, config, await makeIdentity({}, config), [authorities]);
    const changed = vi.fn<(tls: TlsMaterial) => void>();
    const { signal } = new AbortController();
    config.secureServing?.followTls?.(changed, signal);
    expect([authorities.followed, changed.mock.calls]).toEqual([[signal], []]);
    authorities.set('second');
    await expect.poll(() => changed.mock.calls.map(([{ clientCA }]) => clientCA)).toEqual(['second']);
  });

  it('serves options with the made pair of their folder, or with their own', async () => {
    const config = newConfig();
    const options = new SecureServingOptions();
    options.securePort = 0;
    options.certDirectory = folder;
    const made = await makeIdentity(options, config);
    expect(applyServing(options, config, made, []).certificate).toBe(made.identity.serving.certificate);
    const own = makeTestCertificate({ commonName: 'own' });
    options.certFile = join(folder, 'own.crt');
    options.privateKeyFile = join(folder, 'own.key');
    writeFileSync(options.certFile, own.certificate);
    writeFileSync(options.privateKeyFile, own.key);
    const authorities = changingAuthorities('clients');
    const tls = applyServing(options, config, await makeIdentity(options, config), [authorities]);
    expect(tls).toMatchObject({ certificate: own.certificate, clientCA: 'clients' });
    const changed = vi.fn<(tls: TlsMaterial) => void>();
    const stop = new AbortController();
    config.secureServing?.followTls?.(changed, stop.signal);
    authorities.set('others');
    await expect.poll(() => changed.mock.calls.map(([{ clientCA }]) => clientCA)).toEqual(['others']);
    stop.abort();
  });
});
