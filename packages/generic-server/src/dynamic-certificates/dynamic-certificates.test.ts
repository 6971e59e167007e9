import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { ClientHttp2Session } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { completeGenericServerConfig, newGenericServerConfig } from '../config/generic-server-config.js';
import { newServerContext } from '../config/server-context.js';
import { AuthenticationOptions } from '../options/authentication-options.js';
import { SecureServingOptions } from '../options/secure-serving-options.js';
import { newGenericServer } from '../server/api-server.js';
import { fetchHttp2, session } from '../testing/listener-fixture.js';
import type { CertificateReader } from './certificate-reader.js';
import { DynamicFiles } from './dynamic-files.js';
import { clientCAContent, servingContent } from './serving-content.js';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dynamic-'));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

const authority = makeTestCertificate({ commonName: 'authority', authority: true });
const serving = (commonName: string) =>
  makeTestCertificate({ commonName, issuer: authority, hosts: ['localhost', '127.0.0.1'] });
const [first, second] = [serving('first'), serving('second')];

it('verifies contents by the given reader', () => {
  const folder = makeFolder();
  const [certFile, keyFile] = [join(folder, 'a.crt'), join(folder, 'a.key')];
  writeFileSync(certFile, first.certificate);
  writeFileSync(keyFile, first.key);
  const { logger } = createTestLogger(9);
  const read: unknown[] = [];
  const reader: CertificateReader = {
    bundle: (pem) => {
      read.push([pem]);
      return [];
    },
    isKeyPair: (...pair) => {
      read.push(pair);
      return false;
    },
  };
  expect(() => servingContent(certFile, keyFile, logger, { reader })).toThrow('private key does not match public key');
  expect(() => clientCAContent(certFile, logger, reader)).toThrow('does not contain any valid RSA or ECDSA');
  expect(read).toEqual([[first.certificate, first.key], [first.certificate]]);
});

describe('DynamicFiles', () => {
  /** Follows two files that must have the same content. */
  function follow() {
    const folder = makeFolder();
    const { logger, lines } = createTestLogger(9);
    const paths = [join(folder, 'a'), join(folder, 'b')];
    const write = (...texts: readonly string[]) => {
      for (const [index, text] of texts.entries()) writeFileSync(paths[index] ?? '', text);
    };
    write('1', '1');
    const verify = ([a, b]: readonly string[]) => {
      if (a !== b) throw new Error(`${a} is not ${b}`);
    };
    const files = new DynamicFiles({ name: 'pair', paths, verify, logger });
    const seen: (readonly string[])[] = [];
    files.onChange(() => seen.push(files.contents));
    const end = new AbortController();
    cleanups.push(() => end.abort());
    files.follow(end.signal);
    const errors = () => lines.filter(({ level }) => level === 'error').map(({ error }) => String(error));
    return { folder, paths, write, files, seen, errors, end };
  }

  it('applies files that are written, replaced or relinked', async () => {
    const { folder, paths, write, seen } = follow();
    write('2', '2');
    await expect.poll(() => seen).toEqual([['2', '2']]);
    for (const path of paths) {
      writeFileSync(`${path}.new`, '3');
      renameSync(`${path}.new`, path);
    }
    await expect.poll(() => seen.at(-1)).toEqual(['3', '3']);
    mkdirSync(join(folder, 'other'));
    for (const path of paths) {
      writeFileSync(join(folder, 'other', 'text'), '4');
      symlinkSync(join(folder, 'other', 'text'), `${path}.link`);
      renameSync(`${path}.link`, path);
    }
    await expect.poll(() => seen.at(-1)).toEqual(['4', '4']);
  });

  it.each([
    ['a half-written pair', (at: ReturnType<typeof follow>) => at.write('2'), 'Error: 2 is not 1'],
    ['a file that is gone', (at: ReturnType<typeof follow>) => rmSync(at.paths[1] ?? ''), 'ENOENT'],
  ])('keeps what it has in face of %s, says why, and goes on', async (_what, spoil, why) => {
    const at = follow();
    spoil(at);
    await expect.poll(() => at.errors().at(-1)).toContain(why);
    expect([at.files.contents, at.seen]).toEqual([['1', '1'], []]);
    at.write('5', '5');
    await expect.poll(() => at.seen).toEqual([['5', '5']]);
  });

  it('tells all listeners, and those that threw once more', () => {
    const folder = makeFolder();
    const path = join(folder, 'a');
    writeFileSync(path, '1');
    const { logger, lines } = createTestLogger();
    const files = new DynamicFiles({ name: 'one', paths: [path], verify: () => {}, logger });
    const calls: string[] = [];
    let refuses = true;
    files.onChange(() => {
      calls.push(`first ${files.contents}`);
      if (refuses) throw new Error('not now');
    });
    files.onChange(() => calls.push(`second ${files.contents}`));
    writeFileSync(path, '2');
    files.reload();
    refuses = false;
    files.reload();
    files.reload();
    expect(calls).toEqual(['first 2', 'second 2', 'first 2']);
    expect(lines.map(({ error, message }) => `${message}: ${error}`)).toEqual([
      'Failed to use new content, another attempt follows: Error: not now',
    ]);
  });

  it('is silent when nothing changed, and when it is over', async () => {
    const { write, seen, end, files, errors } = follow();
    write('1', '1');
    files.reload();
    end.abort();
    write('6', '6');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([seen, errors()]).toEqual([[], []]);
  });
});

describe('contents that are of no use', () => {
  const { logger } = createTestLogger();
  it.each([
    ['', first.key, /^missing content for serving cert "serving-cert::.*a::.*b"$/],
    [first.certificate, '', /^missing content for serving cert/],
    [first.certificate, second.key, /^tls: private key does not match public key$/],
    ['nonsense', first.key, /./],
  ])('of a serving certificate %#', (certificate, key, message) => {
    const folder = makeFolder();
    const [certFile, keyFile] = [join(folder, 'a'), join(folder, 'b')];
    writeFileSync(certFile, certificate);
    writeFileSync(keyFile, key);
    expect(() => servingContent(certFile, keyFile, logger)).toThrow(message);
  });

  it.each([
    ['', /^missing content for CA bundle "client-ca-bundle::.*"$/],
    ['x', /^error loading CA bundle for ".*": data does not contain any valid RSA or ECDSA certificates$/],
  ])('of client authorities: %j', (text, message) => {
    const path = join(makeFolder(), 'ca');
    writeFileSync(path, text);
    expect(() => clientCAContent(path, logger)).toThrow(message);
  });
});

describe('a running server', () => {
  const presentedName = (port: number) =>
    new Promise<string>((resolve, reject) => {
      const socket: TLSSocket = connect({
        host: '127.0.0.1',
        port,
        servername: 'localhost',
        ca: authority.certificate,
      });
      socket.on('error', reject);
      socket.on('secureConnect', () => {
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.destroy();
      });
    });

  async function start() {
    const folder = makeFolder();
    const path = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const { logger } = createTestLogger();
    const config = newGenericServerConfig(newServerContext({ logger }));
    const clientCAFile = path('ca.crt', authority.certificate);
    const options = Object.assign(new AuthenticationOptions(), { clientCAFile, anonymous: false });
    const { authorities } = await options.applyTo(config);
    Object.assign(new SecureServingOptions(), {
      bindAddress: '127.0.0.1',
      securePort: 0,
      certFile: path('tls.crt', first.certificate),
      privateKeyFile: path('tls.key', first.key),
    }).applyTo(config, { authorities });
    const prepared = newGenericServer(completeGenericServerConfig(config), { name: 'test' }).prepareServer();
    const shutdown = new AbortController();
    const running = prepared.run(shutdown.signal);
    cleanups.push(() => {
      shutdown.abort();
      return running;
    });
    return { port: (await prepared.listening).port, path };
  }

  const status = async (client: ClientHttp2Session) => (await fetchHttp2(client, { ':path': '/healthz' })).status;

  it('shows a new certificate to new connections and leaves the open ones alone', async () => {
    const { port, path } = await start();
    const alice = makeTestCertificate({ commonName: 'alice', issuer: authority });
    const open = session(port, { ca: authority.certificate, cert: alice.certificate, key: alice.key });
    expect([await status(open), await presentedName(port)]).toEqual([200, 'first']);
    path('tls.crt', second.certificate);
    path('tls.key', second.key);
    await expect.poll(() => presentedName(port)).toBe('second');
    expect([await status(open), open.closed]).toEqual([200, false]);
  });

  it('believes new authorities, and the old ones no more', async () => {
    const { port, path } = await start();
    const other = makeTestCertificate({ commonName: 'other authority', authority: true });
    const [old, fresh] = [authority, other].map((issuer) => {
      const { certificate, key } = makeTestCertificate({ commonName: 'alice', issuer });
      return session(port, { ca: authority.certificate, cert: certificate, key });
    });
    if (old === undefined || fresh === undefined) throw new Error('two sessions');
    expect(await Promise.all([status(old), status(fresh)])).toEqual([200, 401]);
    path('ca.crt', other.certificate);
    const again = () => session(port, { ca: authority.certificate, ...client });
    const { certificate, key } = makeTestCertificate({ commonName: 'alice', issuer: other });
    const client = { cert: certificate, key };
    await expect.poll(async () => status(again())).toBe(200);
    expect(await status(old)).toBe(401);
  });
});
