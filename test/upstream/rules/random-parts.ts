import { generateKeyPairSync } from 'node:crypto';
import { makeTestCertificate } from '@apiserver/apimachinery/testing';
import type { Random } from '../../watch/random.ts';
import { some } from './random-metadata.ts';

const TEXTS = [
  '',
  'a',
  'x y',
  'é☃"\\',
  '<&>',
  '\u2028',
  '\t',
  '\u007f',
  'one\ntwo',
  'end\n',
  '\n',
  '😀',
  '\u00a0',
] as const;

/** An error of the API by its factory. */
export interface ErrorCase {
  readonly make: string;
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly message: string;
  readonly number: number;
  readonly errors: readonly {
    readonly type: string;
    readonly field: string;
    readonly detail: string;
    readonly value: unknown;
  }[];
}

const TYPES = [
  'NotFound',
  'Required',
  'Duplicate',
  'Invalid',
  'NotSupported',
  'Forbidden',
  'TooLong',
  'TooMany',
] as const;
const CODES = [
  ...[0, 200, 302, 400, 401, 403, 404, 405, 406, 409, 410, 415, 422, 429, 500, 502, 503, 504, 599, 600],
] as const;

/** The arguments of a factory. */
export function randomError(random: Random, factories: readonly string[]): ErrorCase {
  return {
    make: random.of(factories as [string, ...string[]]),
    group: random.of(['', 'apps', 'a.io']),
    kind: random.of(['', 'pods', 'POST', 'get']),
    name: random.of(TEXTS),
    message: random.of(TEXTS),
    number: random.of(CODES as unknown as [number, ...number[]]),
    errors: some(random, 5, () => ({
      type: `FieldValue${random.of(TYPES)}`,
      field: random.of(['', 'a.b', 'a[0]', 'a[é]']),
      detail: random.of(TEXTS),
      value: randomValue(random),
    })),
  };
}

function randomValue(random: Random): unknown {
  const others = [1.5, true, null, ['a', '<'], { a: 'b', c: [1.5] }, [], {}];
  return random.chance(0.6) ? random.of(TEXTS) : random.of(others as [unknown, ...unknown[]]);
}

/** A line of the log. */
export interface LineCase {
  readonly message: string;
  readonly keys: readonly string[];
  readonly values: readonly unknown[];
  readonly err?: string;
}

/** Without control characters in texts of several lines, which upstream does not escape. */
export function randomLine(random: Random): LineCase {
  const keys = some(random, 4, () => random.of(['key', 'k"', 'é'])).map((key, at) => `${key}${at}`);
  const values = keys.map(() => (random.chance(0.2) ? random.below(100) - 50 : randomValue(random)));
  return { message: random.of(TEXTS), keys, values, ...(random.chance(0.4) && { err: random.of(TEXTS) }) };
}

const STAGES = ['', '', 'alpha', 'beta', 'alpha1', 'beta2', 'beta10', 'alpha01', 'beta0', 'gamma1', '-x'] as const;

export function randomVersion(random: Random): string {
  const number = random.of(['1', '2', '10', '0', '01', '', '99999999999999999999']);
  return random.of(['v', 'v', 'v', 'V', '']) + number + random.of(STAGES);
}

const HEADERS = ['X-Remote-User', 'x-user', 'X-Remote-Group', 'X-Group', 'X-Uid'] as const;
const PREFIXES = ['X-Remote-Extra-', 'x-extra-'] as const;
const KEYS = ['Scopes', 'a%2FB', '%zz', '%', '%ff', '%C3%A9', 'a+b', '%25', '__proto__'] as const;

/** The configuration of a front proxy, and the headers of a request. */
export interface HeadersCase {
  readonly names: readonly string[];
  readonly uids: readonly string[];
  readonly groups: readonly string[];
  readonly prefixes: readonly string[];
  readonly headers: readonly (readonly [string, string])[];
}

export function randomHeaders(random: Random): HeadersCase {
  const header = () => random.of(HEADERS);
  return {
    names: some(random, 3, header),
    uids: some(random, 3, header),
    groups: some(random, 3, header),
    prefixes: some(random, 3, () => random.of(PREFIXES)),
    headers: some(random, 8, () => [
      random.chance(0.5) ? header() : random.of(PREFIXES) + random.of(KEYS),
      random.of(['', 'a', 'b', 'é', 'a,b', ' x']),
    ]),
  };
}

const LINES = [
  ...['---', '---', '--- ', '---\r', '--- # c', '---#c', '---x', '----', ' ---', 'a: 1', '', '', '# c', '...'],
  ...['\ufeff---', '---\u00a0', '---\u0085', '\u00a0', '\ufeff', '---\u2003x', 'é', '\u000b', '\u001f'],
] as [string, ...string[]];
const FILES = [
  'a.yaml',
  'b.YAML',
  'c.yml',
  'd.json',
  'e.txt',
  '.yaml',
  'f.yaml.bak',
  'yaml',
  '.x.yml',
  '..yaml',
] as const;

/** Base64 of files, by name. */
export function randomFiles(random: Random): Record<string, string> {
  const text = () => some(random, 8, () => random.of(LINES)).join('\n') + random.of(['', '\n', '\r\n', '\n\n']);
  const files = some(random, 4, () => [random.of(FILES), Buffer.from(text()).toString('base64')] as const);
  return Object.fromEntries(files);
}

type Pair = readonly [certificate: string, key: string];

const HOSTS = [
  'a.example.com',
  '*.example.com',
  'example.com',
  '*',
  'b',
  '*.b',
  'f*.example.com',
  'w_x.example.com',
] as const;
const COMMON_NAMES = [
  'a.example.com',
  '*.example.com',
  '*',
  'Some CA',
  '10.0.0.1',
  'b',
  'UPPER.com',
  'a,CN=b',
] as const;

function randomPair(random: Random): Pair {
  const { certificate, key } = makeTestCertificate({
    commonName: random.of(COMMON_NAMES),
    hosts: some(random, 4, () => random.of(HOSTS)),
  });
  return [certificate, key];
}

/** The certificates of a server, and the names that clients ask for. */
export interface ServerNamesCase {
  readonly serving: Pair;
  readonly named: readonly { readonly pair: Pair; readonly names: readonly string[] }[];
  readonly serverNames: readonly string[];
}

const ASKED = [
  ...['a.example.com', 'A.Example.Com', 'x.y.example.com', 'example.com', 'b', 'c.b', 'other.org', 'UPPER.com'],
  ...['foo.example.com', 'w_x.example.com', '*.example.com'],
] as const;

export function randomServerNames(random: Random): ServerNamesCase {
  return {
    serving: randomPair(random),
    named: [{}, ...some(random, 3, () => ({}))].map(() => ({
      pair: randomPair(random),
      names: some(random, 3, () => random.of(HOSTS)),
    })),
    serverNames: ASKED,
  };
}

const pem = { type: 'pkcs8', format: 'pem' } as const;
const KEYS_OF_TYPES = [
  generateKeyPairSync('ed25519', { privateKeyEncoding: pem, publicKeyEncoding: { type: 'spki', format: 'pem' } }),
  generateKeyPairSync('x25519', { privateKeyEncoding: pem, publicKeyEncoding: { type: 'spki', format: 'pem' } }),
].map(({ privateKey }) => privateKey);
const PAIRS = [false, 1_024].map((rsa) => makeTestCertificate({ commonName: 'a', rsa }));
const BLOCKS = ['CERTIFICATE', 'PRIVATE KEY', 'RSA PRIVATE KEY', 'ODD PRIVATE KEY', 'PUBLIC KEY', 'X'] as const;

/** A text with changed blocks, or cut off. */
function changed(random: Random, text: string): string {
  switch (random.below(6)) {
    case 0: {
      const type = random.of(BLOCKS);
      return text.replaceAll(/(BEGIN|END) [A-Z ]+-----/g, `$1 ${type}-----`);
    }
    case 1:
      return text.replaceAll('\n', random.of(['\r\n', ' \n', '\n\n']));
    case 2:
      return `${text.slice(0, random.below(text.length))}\n`;
    case 3:
      return text.replace('\n', '\nA: b\n\n');
    case 4:
      return `x\n${text}y`;
    default:
      return text;
  }
}

export function randomKeyPair(random: Random): { readonly certificate: string; readonly key: string } {
  const certificates = PAIRS.map(({ certificate }) => certificate) as [string, ...string[]];
  const keys = [...PAIRS.map(({ key }) => key), ...KEYS_OF_TYPES] as [string, ...string[]];
  const text = (first: [string, ...string[]], second: [string, ...string[]]) =>
    Array.from({ length: 1 + random.below(2) }, () => {
      const block = random.of(random.chance(0.8) ? first : second);
      return random.chance(0.4) ? changed(random, block) : block;
    }).join('');
  return { certificate: text(certificates, keys), key: text(keys, certificates) };
}
