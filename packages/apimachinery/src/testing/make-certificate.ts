import { Buffer } from 'node:buffer';
import { createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate and its key, as PEM for files and servers and as DER for requests. */
export interface TestCertificate {
  readonly certificate: string;
  readonly key: string;
  readonly der: Uint8Array;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly subject: readonly (readonly [string, string])[];
}

/** Contents of a test certificate. The defaults make it valid. */
export interface TestCertificateOptions {
  readonly commonName?: string;
  readonly organizations?: readonly string[];
  /** Other parts of the subject: OID and text. */
  readonly attributes?: readonly (readonly [string, string])[];
  /** Self-signed if absent. */
  readonly issuer?: Pick<TestCertificate, 'privateKey' | 'subject'>;
  /** The key of the holder, of which the caller has the private half; only for a certificate that another one signs. */
  readonly publicKey?: KeyObject;
  /** Use an RSA key instead of P-256: `true` for 2,048 bits. */
  readonly rsa?: boolean | number;
  readonly authority?: boolean;
  readonly pathLength?: number;
  /** Dotted OIDs. If absent: client and server authentication, or none for a CA. */
  readonly extendedKeyUsage?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly hosts?: readonly string[];
  /** Of the signature. */
  readonly digest?: 'md5' | 'sha1' | 'sha256';
  /** 1 for a certificate without extensions. Default: 3. */
  readonly version?: 1 | 3;
  /** The OID of an unknown extension to add, marked critical. */
  readonly unknownCriticalExtension?: string;
  /** Further extensions. */
  readonly extensions?: readonly { readonly type: string; readonly critical: boolean; readonly value: Buffer }[];
}

/** Object identifiers of extended key usages. */
export const testKeyUsage = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2' } as const;

/** Identifiers of signatures by the type of the key and the digest. */
const signatures: Readonly<Record<string, string>> = {
  'ec sha1': '1.2.840.10045.4.1',
  'ec sha256': '1.2.840.10045.4.3.2',
  'rsa md5': '1.2.840.113549.1.1.4',
  'rsa sha1': '1.2.840.113549.1.1.5',
  'rsa sha256': '1.2.840.113549.1.1.11',
};

function signatureOf({ asymmetricKeyType }: KeyObject, digest: string): Buffer {
  const identifier = signatures[`${asymmetricKeyType} ${digest}`];
  if (identifier === undefined) throw new Error(`no signature of ${digest} by ${asymmetricKeyType}`);
  return sequence(objectIdentifier(identifier), ...(asymmetricKeyType === 'rsa' ? [tagged(0x05)] : []));
}

/** Creates a certificate for a test. */
export function makeTestCertificate(options: TestCertificateOptions = {}): TestCertificate {
  const { digest = 'sha256', rsa = false, version = 3 } = options;
  const pair =
    rsa === false
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: rsa === true ? 2048 : rsa });
  const { privateKey } = pair;
  const signer = options.issuer?.privateKey ?? privateKey;
  const algorithm = signatureOf(signer, digest);
  const publicKey = options.publicKey ?? pair.publicKey;
  const subject = subjectOf(options);
  const signed = sequence(
    ...(version === 1 ? [] : [tagged(0xa0, integer(Buffer.from([2])))]),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name(options.issuer?.subject ?? subject),
    sequence(
      time(options.notBefore ?? new Date('2020-01-01T00:00:00Z')),
      time(options.notAfter ?? new Date('2120-01-01T00:00:00Z')),
    ),
    name(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(version === 1 ? [] : [tagged(0xa3, sequence(...extensions(options)))]),
  );
  const signature = createSign(digest).update(signed).sign(signer);
  const der = sequence(signed, algorithm, tagged(0x03, Buffer.from([0]), signature));
  return {
    certificate: pem('CERTIFICATE', der),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    der,
    privateKey,
    publicKey,
    subject,
  };
}

/** A request for a certificate, PEM, and the key of its holder. */
export interface TestCertificateRequest {
  readonly request: string;
  readonly key: string;
  readonly publicKey: KeyObject;
}

/** Creates a request for a certificate, as a kubelet sends it to a signer. */
export function makeTestCertificateRequest(
  options: Pick<TestCertificateOptions, 'commonName' | 'organizations'>,
): TestCertificateRequest {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const attributes = tagged(0xa0, Buffer.alloc(0));
  const signed = sequence(integer(Buffer.from([0])), name(subjectOf(options)), spki, attributes);
  const signature = createSign('sha256').update(signed).sign(privateKey);
  const der = sequence(signed, signatureOf(privateKey, 'sha256'), tagged(0x03, Buffer.from([0]), signature));
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { request: pem('CERTIFICATE REQUEST', der), key, publicKey };
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}

function subjectOf({ organizations = [], commonName, attributes = [] }: TestCertificateOptions) {
  const common = commonName === undefined ? [] : [['2.5.4.3', commonName] as const];
  return [...organizations.map((organization) => ['2.5.4.10', organization] as const), ...common, ...attributes];
}

function extensions(options: TestCertificateOptions): Buffer[] {
  const authority = options.authority ?? false;
  const uses = options.extendedKeyUsage ?? (authority ? [] : [testKeyUsage.clientAuth, testKeyUsage.serverAuth]);
  const all: Buffer[] = [];
  if (authority) {
    const length = options.pathLength === undefined ? [] : [integer(Buffer.from([options.pathLength]))];
    all.push(extension('2.5.29.19', true, sequence(tagged(0x01, Buffer.from([0xff])), ...length)));
  }
  if (uses.length > 0) all.push(extension('2.5.29.37', false, sequence(...uses.map(objectIdentifier))));
  if (options.hosts !== undefined) {
    all.push(extension('2.5.29.17', false, sequence(...options.hosts.map(alternativeName))));
  }
  if (options.unknownCriticalExtension !== undefined) {
    all.push(extension(options.unknownCriticalExtension, true, sequence()));
  }
  for (const { type, critical, value } of options.extensions ?? []) all.push(extension(type, critical, value));
  return all;
}

function alternativeName(host: string): Buffer {
  return isIP(host) === 4
    ? tagged(0x87, Buffer.from(host.split('.').map(Number)))
    : tagged(0x82, Buffer.from(host, 'latin1'));
}

function extension(type: string, critical: boolean, value: Buffer): Buffer {
  const flag = critical ? [tagged(0x01, Buffer.from([0xff]))] : [];
  return sequence(objectIdentifier(type), ...flag, tagged(0x04, value));
}

function name(parts: readonly (readonly [string, string])[]): Buffer {
  return sequence(
    ...parts.map(([type, text]) => tagged(0x31, sequence(objectIdentifier(type), tagged(0x0c, Buffer.from(text))))),
  );
}

function time(date: Date): Buffer {
  return tagged(0x18, Buffer.from(date.toISOString().replaceAll(/[-:T]|\.\d+/g, '')));
}

function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(arc: number): number[] {
  const bytes = [arc & 0x7f];
  for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) bytes.unshift((left & 0x7f) | 0x80);
  return bytes;
}

function integer(content: Buffer): Buffer {
  return tagged(0x02, content);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}
