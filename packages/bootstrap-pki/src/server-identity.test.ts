import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFresh } from './certificate-authority.js';
import { generateKey, keyToPem } from './key-pair.js';
import { type BootstrapPkiOptions, ensureServerIdentity } from './server-identity.js';
import { type ServingNames, servingNames } from './serving-names.js';

const logged: string[] = [];
const logger: Logger = {
  info: (message, fields) => logged.push(`${message}: ${String(fields?.['reason'])}`),
  warning: (message) => logged.push(message),
  error: (_error, message) => logged.push(message),
  v: () => undefined,
  named: () => logger,
};
const now = new Date('2026-06-01T00:00:00Z');
const later = (days: number) => new Date(now.getTime() + days * 86_400_000);
const names = servingNames({
  hostname: 'here',
  serviceAddress: '10.0.0.1',
  advertiseAddress: '192.168.7.7',
  bindAddress: '0.0.0.0',
});

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bootstrap-pki-'));
  logged.length = 0;
});
afterEach(() => rmSync(directory, { recursive: true }));

function start(overrides: Partial<BootstrapPkiOptions> = {}) {
  return ensureServerIdentity({
    dataDirectory: join(directory, 'data'),
    certificateDirectory: join(directory, 'data', 'pki'),
    servingFiles: undefined,
    clientCAFile: undefined,
    bringsServiceAccountKey: false,
    servingNames: names,
    now,
    logger,
    ...overrides,
  });
}

const pki = (name: string) => join(directory, 'data', 'pki', name);
const contents = () => Object.fromEntries(readdirSync(pki('')).map((name) => [name, readFileSync(pki(name), 'utf8')]));
const modes = () => Object.fromEntries(readdirSync(pki('')).map((name) => [name, statSync(pki(name)).mode & 0o777]));

describe('ensureServerIdentity', () => {
  it('makes everything, readable by its owner alone', async () => {
    const previous = process.umask(0);
    try {
      await start();
    } finally {
      process.umask(previous);
    }
    expect({
      data: statSync(join(directory, 'data')).mode & 0o777,
      pki: statSync(pki('')).mode & 0o777,
      ...modes(),
    }).toEqual({
      data: 0o700,
      pki: 0o700,
      'ca.crt': 0o644,
      'ca.key': 0o600,
      'apiserver.crt': 0o644,
      'apiserver.key': 0o600,
      'admin.crt': 0o644,
      'admin.key': 0o600,
      'sa.key': 0o600,
      'sa.pub': 0o644,
    });
  });

  it('issues what the CA verifies', async () => {
    const identity = await start();
    const ca = new X509Certificate(readFileSync(identity.clientCAFile));
    const serving = new X509Certificate(readFileSync(identity.servingFiles.certificateFile));
    const admin = new X509Certificate(identity.admin?.certificate ?? '');
    expect(serving.verify(ca.publicKey) && serving.checkIssued(ca)).toBe(true);
    expect(admin.verify(ca.publicKey) && admin.checkIssued(ca)).toBe(true);
    expect(admin.subject).toBe('O=system:masters\nCN=kubernetes-admin');
    expect(serving.subjectAltName).toBe(
      'DNS:kubernetes, DNS:kubernetes.default, DNS:kubernetes.default.svc, DNS:kubernetes.default.svc.cluster.local, DNS:localhost, DNS:here, ' +
        'IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:10.0.0.1, IP Address:192.168.7.7',
    );
  });

  it('writes EC keys in the form whose header names the kind of key', async () => {
    const { admin } = await start();
    const headers = ['ca.key', 'apiserver.key', 'admin.key', 'sa.key'].map(
      (name) => readFileSync(pki(name), 'utf8').split('\n', 1)[0],
    );
    expect(headers).toEqual(Array(4).fill('-----BEGIN EC PRIVATE KEY-----'));
    expect(admin?.key).toBe(readFileSync(pki('admin.key'), 'utf8'));
  });

  it('writes a key that an earlier version wrote as PKCS#8 again in that form', async () => {
    const first = await start();
    const files = contents();
    for (const name of ['admin.key', 'apiserver.key']) {
      const pkcs8 = createPrivateKey(readFileSync(pki(name))).export({ type: 'pkcs8', format: 'pem' });
      writeFileSync(pki(name), pkcs8);
    }
    expect(await start()).toEqual(first);
    expect(contents()).toEqual(files);
    expect(modes()['admin.key']).toBe(0o600);
  });

  it('uses everything again', async () => {
    const first = await start();
    const files = contents();
    expect(await start()).toEqual(first);
    expect(contents()).toEqual(files);
    expect(logged).toEqual([]);
  });

  const bothEnd = Array(2).fill('it is valid from May 31 23:00:00 2026 GMT to Jun  1 00:00:00 2027 GMT');
  const remade: {
    readonly why: string;
    readonly break: () => void;
    readonly changes: readonly string[];
    readonly at?: Date;
    readonly names?: ServingNames;
    /** All that is logged. Default: nothing. */
    readonly reasons?: readonly string[];
  }[] = [
    { why: 'a missing key', break: () => rmSync(pki('apiserver.key')), changes: ['apiserver.crt', 'apiserver.key'] },
    { why: 'a missing certificate', break: () => rmSync(pki('admin.crt')), changes: ['admin.crt', 'admin.key'] },
    {
      why: 'half a file',
      break: () => writeFileSync(pki('admin.crt'), readFileSync(pki('admin.crt'), 'utf8').slice(0, 200)),
      changes: ['admin.crt', 'admin.key'],
      reasons: ['it is not a certificate in PEM form'],
    },
    {
      why: 'a key of something else',
      break: () => writeFileSync(pki('apiserver.key'), keyToPem(generateKey())),
      changes: ['apiserver.crt', 'apiserver.key'],
      reasons: ['it does not fit its private key'],
    },
    {
      why: 'a key that is none',
      break: () => writeFileSync(pki('apiserver.key'), 'x'),
      changes: ['apiserver.crt', 'apiserver.key'],
      reasons: ['it does not fit its private key'],
    },
    {
      why: 'a serving certificate that is none',
      break: () => writeFileSync(pki('apiserver.crt'), 'x'),
      changes: ['apiserver.crt', 'apiserver.key'],
      reasons: ['it is not a certificate in PEM form'],
    },
    {
      why: 'a serving certificate without names',
      break: () => {
        for (const end of ['crt', 'key']) writeFileSync(pki(`apiserver.${end}`), readFileSync(pki(`admin.${end}`)));
      },
      changes: ['apiserver.crt', 'apiserver.key'],
      reasons: [`it does not name ${[...names.dnsNames, ...names.addresses].join(', ')}`],
    },
    { why: 'a missing CA certificate', break: () => rmSync(pki('ca.crt')), changes: ['ca.crt'] },
    {
      why: 'a clock that was set back',
      break: () => {},
      at: later(-1),
      changes: ['admin.crt', 'admin.key', 'apiserver.crt', 'apiserver.key', 'ca.crt'],
      reasons: ['The certificate authority is replaced: it is not valid now or about to expire', ...bothEnd],
    },
    { why: 'a missing public key', break: () => rmSync(pki('sa.pub')), changes: [] },
    {
      why: 'a certificate about to end',
      break: () => {},
      at: later(340),
      changes: ['admin.crt', 'admin.key', 'apiserver.crt', 'apiserver.key'],
      reasons: bothEnd,
    },
    {
      why: 'another address of the machine',
      break: () => {},
      names: { ...names, addresses: [...names.addresses, '192.168.7.8'] },
      changes: ['apiserver.crt', 'apiserver.key'],
      reasons: ['it does not name 192.168.7.8'],
    },
    {
      why: 'a CA about to end',
      break: () => {},
      at: later(3640),
      changes: ['admin.crt', 'admin.key', 'apiserver.crt', 'apiserver.key', 'ca.crt'],
      reasons: ['The certificate authority is replaced: it is not valid now or about to expire', ...bothEnd],
    },
  ];
  it('makes again what another certificate authority of the same name has signed', async () => {
    const certificateDirectory = join(directory, 'other');
    await start({ dataDirectory: join(directory, 'other-data'), certificateDirectory });
    await start();
    const ours = contents();
    for (const name of ['apiserver.crt', 'apiserver.key', 'admin.crt', 'admin.key']) {
      writeFileSync(pki(name), readFileSync(join(certificateDirectory, name)));
    }
    await start();
    const authority = new X509Certificate(ours['ca.crt'] ?? '').publicKey;
    const issued = ['apiserver.crt', 'admin.crt'].map((name) => new X509Certificate(readFileSync(pki(name))));
    expect(issued.map((certificate) => certificate.verify(authority))).toEqual([true, true]);
    const reason = 'A certificate is made again: another certificate authority signed it';
    expect(logged.filter((line) => line.includes('made again'))).toEqual([reason, reason]);
  });

  it.each(remade)('makes again after $why only what it has to', async (row) => {
    await start();
    const before = contents();
    row.break();
    await start({ now: row.at ?? now, servingNames: row.names ?? names });
    expect(logged.map((line) => line.replace(/^A certificate is made again: /, ''))).toEqual(row.reasons ?? []);
    const after = contents();
    expect(Object.keys(after).filter((name) => after[name] !== before[name])).toEqual(row.changes);
    expect(Object.keys(after)).toEqual(Object.keys(before));
  });

  it('takes only the serving pair of an operator, and issues for the administrator', async () => {
    const own = await start();
    const elsewhere = join(directory, 'second');
    const identity = await start({
      dataDirectory: elsewhere,
      certificateDirectory: elsewhere,
      servingFiles: own.servingFiles,
    });
    const authority = join(elsewhere, 'ca.crt');
    expect([identity.servingFiles, identity.servingTrust, identity.clientCAFile]).toEqual([
      own.servingFiles,
      readFileSync(pki('apiserver.crt'), 'utf8'),
      authority,
    ]);
    const admin = new X509Certificate(identity.admin?.certificate ?? '');
    expect(admin.verify(new X509Certificate(readFileSync(authority)).publicKey)).toBe(true);
    expect(readdirSync(elsewhere).sort()).toEqual([
      ...['admin.crt', 'admin.key', 'ca.crt', 'ca.key', 'sa.key', 'sa.pub'],
    ]);
  });

  it('takes only the client authorities of an operator, for which it issues no administrator', async () => {
    await start();
    const elsewhere = join(directory, 'second');
    const folders = { dataDirectory: elsewhere, certificateDirectory: elsewhere };
    const identity = await start({ ...folders, clientCAFile: pki('ca.crt') });
    expect([identity.clientCAFile, identity.admin, identity.servingFiles.keyFile]).toEqual([
      ...[pki('ca.crt'), undefined, join(elsewhere, 'apiserver.key')],
    ]);
    const serving = new X509Certificate(readFileSync(join(elsewhere, 'apiserver.crt')));
    expect(serving.subject).toBe('CN=kube-apiserver');
    expect(identity.servingTrust).toBe(readFileSync(join(elsewhere, 'ca.crt'), 'utf8'));
  });

  it('writes the same files without waiting for the disk', async () => {
    await start({ survivesCrash: false });
    const files = contents();
    await start();
    expect([contents(), logged]).toEqual([files, []]);
  });

  it('names the key that is none', async () => {
    await start();
    for (const name of ['sa.key', 'ca.key']) {
      const good = readFileSync(pki(name));
      writeFileSync(pki(name), 'x');
      await expect(start()).rejects.toMatchObject({
        name: 'StartupError',
        message: expect.stringContaining(`${pki(name)}: not a private key in PEM form: `),
      });
      writeFileSync(pki(name), good);
    }
  });

  it('keeps a key of another kind for tokens', async () => {
    await start();
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const [pem, publicPem] = [keyToPem(privateKey), publicKey.export({ type: 'spki', format: 'pem' })];
    expect(pem.split('\n', 1)).toEqual(['-----BEGIN PRIVATE KEY-----']);
    writeFileSync(pki('sa.key'), pem);
    await start();
    expect([contents()['sa.key'], contents()['sa.pub']]).toEqual([pem, publicPem]);
  });

  it('refuses a CA whose key is another one', async () => {
    await start();
    writeFileSync(pki('ca.key'), keyToPem(generateKey()));
    await expect(start()).rejects.toThrow(
      `${pki('ca.key')}: is not the private key of ${pki('ca.crt')}; put the right one in place, or remove both files to have a new certificate authority made`,
    );
  });

  it('runs without the CA key until something has to be signed', async () => {
    const first = await start();
    rmSync(pki('ca.key'));
    expect(await start()).toEqual(first);
    rmSync(pki('admin.crt'));
    await expect(start()).rejects.toThrow(
      `${pki('ca.key')}: is missing, and ${pki('admin.crt')} has to be signed with it`,
    );
  });

  it('takes the files an operator brings, and then makes none of its own', async () => {
    const other = await start();
    rmSync(join(directory, 'data', 'pki', 'admin.crt'));
    const identity = await ensureServerIdentity({
      dataDirectory: join(directory, 'second'),
      certificateDirectory: join(directory, 'second'),
      servingFiles: { certificateFile: pki('apiserver.crt'), keyFile: pki('apiserver.key') },
      clientCAFile: pki('ca.crt'),
      bringsServiceAccountKey: true,
      servingNames: names,
      now,
      logger,
    });
    expect(identity).toEqual({
      servingFiles: other.servingFiles,
      isServingIssued: false,
      servingTrust: readFileSync(pki('apiserver.crt'), 'utf8'),
      clientCAFile: pki('ca.crt'),
      admin: undefined,
      serviceAccountKey: undefined,
    });
    expect(readdirSync(join(directory, 'second'))).toEqual([]);
  });

  it('leaves a serving pair alone that somebody else’s CA issued', async () => {
    const ours = await start();
    const issuerName = Buffer.from('kube-apiserver-ca');
    const theirs = new X509Certificate(readFileSync(ours.servingFiles.certificateFile)).raw;
    // Another issuer's name of the same length; nobody here checks the signature.
    theirs.write('somebody-elses-ca', theirs.indexOf(issuerName), 'latin1');
    const pem = `-----BEGIN CERTIFICATE-----\n${theirs.toString('base64')}\n-----END CERTIFICATE-----\n`;
    writeFileSync(pki('apiserver.crt'), pem);
    const identity = await start();
    expect([identity.servingTrust, readFileSync(pki('apiserver.crt'), 'utf8')]).toEqual([pem, pem]);
    expect([ours.isServingIssued, identity.isServingIssued]).toEqual([true, false]);
  });

  it.each([
    ['a missing file', 'nothing.crt', 'apiserver.key', 'open DIR/nothing.crt: no such file or directory'],
    ['no certificate', 'apiserver.key', 'apiserver.key', 'DIR/apiserver.key: not a certificate in PEM form'],
    ['another key', 'apiserver.crt', 'admin.key', 'DIR/admin.key: is not the private key of DIR/apiserver.crt'],
  ])('says what is wrong with the operator’s files: %s', async (_name, certificate, key, message) => {
    await start();
    const files = { certificateFile: pki(certificate), keyFile: pki(key) };
    await expect(start({ servingFiles: files })).rejects.toThrow(
      message.replaceAll('DIR', join(directory, 'data', 'pki')),
    );
  });
});

it('logs which files it makes again, and why', async () => {
  await start();
  const { logger: own, lines } = createTestLogger();
  await start({ now: later(3640), logger: own });
  const issued = { reason: 'it is valid from May 31 23:00:00 2026 GMT to Jun  1 00:00:00 2027 GMT' };
  expect(lines.map(({ level, fields }) => [level, fields])).toEqual([
    ['warning', { file: pki('ca.crt'), notAfter: 'May 29 00:00:00 2036 GMT' }],
    ['info', { file: pki('apiserver.crt'), ...issued }],
    ['info', { file: pki('admin.crt'), ...issued }],
  ]);
});

it('renews within thirty days of the end, and before the begin', async () => {
  const { certificate } = (await start()).admin ?? { certificate: '' };
  const parsed = new X509Certificate(certificate);
  const [begin, end] = [parsed.validFromDate.getTime(), parsed.validToDate.getTime() - 30 * 86_400_000];
  expect([begin - 1, begin, end - 1, end].map((time) => isFresh(parsed, new Date(time)))).toEqual([
    ...[false, true, true, false],
  ]);
});
