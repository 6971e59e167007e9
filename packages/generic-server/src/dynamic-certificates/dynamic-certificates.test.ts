import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { ClientHttp2Session } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { systemClock } from '@apiserver/apimachinery/clock';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { completeGenericServerConfig, newGenericServerConfig } from '../config/generic-server-config.js';
import { newServerContext } from '../config/server-context.js';
import { AuthenticationOptions } from '../options/authentication-options.js';
import { SecureServingOptions } from '../options/secure-serving-options.js';
import { newGenericServer } from '../server/api-server.js';
import type { TlsMaterial } from '../serving/tls/tls-material.js';
import { fetchHttp2, session } from '../testing/listener-fixture.js';
import type { CertificateReader } from './certificate-reader.js';
import { DynamicFiles } from './dynamic-files.js';
import { ServingCertificateController } from './serving-certificate-controller.js';
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
  const process = newServerContext(createTestLogger(9));
  const read: unknown[] = [];
  const reader: CertificateReader = {
    bundle: (pem) => {
      read.push([pem]);
      return [];
    },
    keyPairFault: (...pair) => {
      read.push(pair);
      return 'private key does not match public key';
    },
  };
  expect(() => servingContent(certFile, keyFile, process, { reader })).toThrow('private key does not match public key');
  expect(() => clientCAContent(certFile, process, { reader })).toThrow('does not contain any valid RSA or ECDSA');
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
    const process = newServerContext({ logger });
    const files = new DynamicFiles({ name: 'pair::a::b', paths, content: 'cert and key', verify, process });
    const seen: (readonly string[])[] = [];
    files.onChange(() => seen.push(files.contents));
    const end = new AbortController();
    cleanups.push(() => end.abort());
    files.follow(end.signal);
    const errors = () => lines.filter(({ level }) => level === 'error').map(({ error }) => String(error));
    return { folder, paths, write, files, seen, errors, end, lines, metrics: process.metrics };
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
    ['a half-written pair', (at: ReturnType<typeof follow>) => at.write('2'), 'key failed with : 2 is not 1'],
    ['a file that is gone', (at: ReturnType<typeof follow>) => rmSync(at.paths[1] ?? ''), 'no such file or directory'],
    [
      'a pipe that nobody writes to',
      (at: ReturnType<typeof follow>) => {
        rmSync(at.paths[1] ?? '');
        execFileSync('mkfifo', [at.paths[1] ?? '']);
      },
      'key failed with : 1 is not ',
    ],
  ])('keeps what it has in face of %s, says why, and goes on', async (_what, spoil, why) => {
    const at = follow();
    spoil(at);
    await expect.poll(() => at.errors().at(-1)).toContain(why);
    expect([at.files.contents, at.seen]).toEqual([['1', '1'], []]);
    rmSync(at.paths[1] ?? '', { force: true });
    at.write('5', '5');
    await expect.poll(() => at.seen).toEqual([['5', '5']]);
  });

  it('tells all listeners, and those that threw once more', async () => {
    const folder = makeFolder();
    const path = join(folder, 'a');
    writeFileSync(path, '1');
    const { logger, lines } = createTestLogger();
    const process = newServerContext({ logger });
    const files = new DynamicFiles({ name: 'one::a', paths: [path], content: 'CA', verify: () => {}, process });
    const calls: string[] = [];
    let refuses = true;
    files.onChange(() => {
      calls.push(`first ${files.contents}`);
      if (!refuses) return;
      refuses = false;
      throw new Error('not now');
    });
    files.onChange(() => calls.push(`second ${files.contents}`));
    const end = new AbortController();
    cleanups.push(() => end.abort());
    files.follow(end.signal);
    writeFileSync(path, '2');
    await expect.poll(() => calls).toEqual(['first 2', 'first 2', 'second 2']);
    const failures = lines.filter(({ level }) => level === 'error');
    expect(failures.map(({ error, message }) => `${message}: ${error}`)).toEqual([
      'Unhandled Error: Error: key failed with : not now',
    ]);
  });

  it('logs and counts as upstream, and reads unusable files again soon', async () => {
    const at = follow();
    const value = async (series: string) => {
      const { text } = await at.metrics.expose();
      const line = text.split('\n').find((line) => line.startsWith(`workqueue_${series}{name="DynamicCABundle-pair"}`));
      return Number(line?.split(' ')[1]);
    };
    rmSync(at.paths[1] ?? '');
    // No event follows the first attempt, so that the others are retries.
    await expect.poll(() => value('retries_total')).toBeGreaterThan(3);
    at.write('2', '2');
    await expect.poll(() => at.seen).toEqual([['2', '2']]);
    at.end.abort();
    expect(await value('adds_total')).toBeGreaterThan(3);
    const fields = { name: 'pair::a::b' };
    expect(at.errors()[0]).toBe(`Error: key failed with : open ${at.paths[1]}: no such file or directory`);
    expect(at.lines.filter(({ level }) => level === 'info').map(({ message, fields }) => [message, fields])).toEqual([
      ['Loaded a new cert/key pair', fields],
      ['Starting controller', fields],
      ['Loaded a new cert/key pair', fields],
      ['Shutting down controller', fields],
    ]);
  });

  it('follows files in the folders that links lead to', async () => {
    const folder = makeFolder();
    const version = (name: string, text: string) => {
      mkdirSync(join(folder, 'elsewhere', name), { recursive: true });
      writeFileSync(join(folder, 'elsewhere', name, 'ca'), text);
    };
    const link = (name: string) => {
      symlinkSync(join('..', 'elsewhere', name), join(folder, 'mount', '..new'));
      renameSync(join(folder, 'mount', '..new'), join(folder, 'mount', '..data'));
    };
    mkdirSync(join(folder, 'mount'));
    version('one', '1');
    link('one');
    symlinkSync(join('..data', 'ca'), join(folder, 'mount', 'ca'));
    const process = newServerContext(createTestLogger());
    const paths = [join(folder, 'mount', 'ca')];
    const files = new DynamicFiles({ name: 'ca::a', paths, content: 'CA', verify: () => {}, process });
    const end = new AbortController();
    cleanups.push(() => end.abort());
    files.follow(end.signal);
    version('one', '2');
    await expect.poll(() => files.contents).toEqual(['2']);
    version('two', '3');
    link('two');
    await expect.poll(() => files.contents).toEqual(['3']);
    version('two', '4');
    await expect.poll(() => files.contents).toEqual(['4']);
  });

  it('follows the files of a folder that is replaced', async () => {
    const { folder, write, files } = follow();
    renameSync(folder, `${folder}.old`);
    cleanups.push(() => rmSync(`${folder}.old`, { recursive: true }));
    mkdirSync(folder);
    for (const text of ['2', '3']) {
      write(text, text);
      await vi.waitFor(() => expect(files.contents).toEqual([text, text]), 30_000);
    }
  });

  it('is silent when nothing changed, and when it is over', async () => {
    const { write, seen, end, errors } = follow();
    write('1', '1');
    end.abort();
    write('6', '6');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([seen, errors()]).toEqual([[], []]);
  });
});

describe('contents that are of no use', () => {
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  const process = newServerContext(createTestLogger());
  it.each([
    ['', first.key, /^missing content for serving cert "serving-cert::.*a::.*b"$/],
    [first.certificate, '', /^missing content for serving cert/],
    [first.certificate, second.key, /^tls: private key does not match public key$/],
    ['nonsense', first.key, /^tls: failed to find any PEM data in certificate input$/],
    [first.key, first.key, /PEM inputs may have been switched$/],
  ])('of a serving certificate %#', (certificate, key, message) => {
    const folder = makeFolder();
    const [certFile, keyFile] = [join(folder, 'a'), join(folder, 'b')];
    writeFileSync(certFile, certificate);
    writeFileSync(keyFile, key);
    expect(() => servingContent(certFile, keyFile, process)).toThrow(message);
  });

  it.each([
    ['', /^missing content for CA bundle "client-ca-bundle::.*"$/],
    ['x', /^error loading CA bundle for ".*": data does not contain any valid RSA or ECDSA certificates$/],
    [`${first.certificate}${broken}`, /^error loading CA bundle for ".*": x509: malformed certificate$/],
  ])('of client authorities %#', (text, message) => {
    const path = join(makeFolder(), 'ca');
    writeFileSync(path, text);
    expect(() => clientCAContent(path, process)).toThrow(message);
  });
});

describe('ServingCertificateController', () => {
  const clock = { now: () => Date.UTC(2026, 10, 29, 12, 0, 0, 500), schedule: systemClock.schedule };

  /** A server with a file of authorities, a pair, and pairs for names. */
  function start(verbosity: number) {
    const folder = makeFolder();
    const path = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const { logger, lines } = createTestLogger(verbosity);
    const process = newServerContext({ logger, clock });
    const serving = servingContent(path('a.crt', first.certificate), path('a.key', first.key), process);
    const authorities = [clientCAContent(path('ca.crt', `${authority.certificate}${first.certificate}`), process)];
    const named = [0, 1].map((index) => {
      const [crt, key] = [path(`${index}.crt`, second.certificate), path(`${index}.key`, second.key)];
      return { files: servingContent(crt, key, process, { purpose: 'sni-serving-cert' }), names: [`n${index}`] };
    });
    const material = (): TlsMaterial => ({
      certificate: serving.contents[0] ?? '',
      key: serving.contents[1] ?? '',
      clientCA: authorities[0]?.contents[0] ?? '',
      minVersion: 'TLSv1.2',
      cipherSuites: [],
    });
    const end = new AbortController();
    cleanups.push(() => end.abort());
    const follow = (changed: (tls: TlsMaterial) => void) =>
      new ServingCertificateController({ serving, named, authorities, material }, process).follow(changed, end.signal);
    return { folder, path, lines, end, follow, metrics: process.metrics };
  }

  it('logs what it serves', () => {
    const { folder, lines, follow } = start(2);
    follow(() => {});
    const known = lines.filter(({ message }) => message.startsWith('Loaded ') && !message.startsWith('Loaded a new '));
    const validity =
      '(2020-01-01 00:00:00 +0000 UTC to 2120-01-01 00:00:00 +0000 UTC (now=2026-11-29 12:00:00.5 +0000 UTC))';
    const leaf = (name: string) =>
      `"${name}" [client,serving] validServingFor=[127.0.0.1,localhost] issuer="authority" ${validity}`;
    const sni = (index: number) => ({
      index,
      certName: `sni-serving-cert::${folder}/${index}.crt::${folder}/${index}.key`,
      certDetail: leaf('second'),
    });
    const certName = `client-ca-bundle::${folder}/ca.crt`;
    expect(known.map(({ message, fields }) => [message, fields])).toEqual([
      ['Loaded client CA', { index: 0, certName, certDetail: `"authority" [] issuer="<self>" ${validity}` }],
      ['Loaded client CA', { index: 1, certName, certDetail: leaf('first') }],
      [
        'Loaded serving cert',
        { certName: `serving-cert::${folder}/a.crt::${folder}/a.key`, certDetail: leaf('first') },
      ],
      ['Loaded SNI cert', sni(1)],
      ['Loaded SNI cert', sni(0)],
    ]);
  });

  it('hands over changes alone, and again if they were refused', async () => {
    const { path, lines, end, follow, metrics } = start(0);
    const served: string[] = [];
    follow(({ clientCA }) => {
      served.push(clientCA);
      if (served.length < 3) throw new Error('no');
    });
    path('ca.crt', second.certificate);
    await expect.poll(() => served.length).toBe(3);
    end.abort();
    expect(new Set(served)).toEqual(new Set([second.certificate]));
    const name = 'DynamicServingCertificateController';
    expect((await metrics.expose()).text).toContain(`workqueue_retries_total{name="${name}"} 2\n`);
    const own = lines.filter(({ message, error }) => message.includes(name) || error !== undefined);
    expect(own.map(({ message, error }) => [message, error])).toEqual([
      [`Starting ${name}`, undefined],
      ['Unhandled Error', new Error('key failed with : no')],
      ['Unhandled Error', new Error('key failed with : no')],
      [`Shutting down ${name}`, undefined],
    ]);
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
