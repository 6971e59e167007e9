import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { deflateRaw, type Gunzip, gunzip, gzip, inflateRaw } from 'node:zlib';
import { codeOf, messageOf, plainFailure } from '@apiserver/apimachinery/errors';
import type { LinkRewriter } from './rewrite-links.js';

/**
 * The attributes that are links, by element. Upstream: atomsToAttrs in
 * k8s.io/apimachinery/pkg/util/proxy/transport.go
 */
export const LINKS: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  img: ['longdesc', 'src', 'usemap'],
  input: ['src', 'usemap', 'formaction'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data', 'usemap'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  video: ['poster', 'src'],
};

/** Supported content encodings, with their decoders and encoders. */
const CODINGS: Readonly<Record<string, readonly [unpack: Coding, pack: Coding]>> = {
  gzip: [unpackGzip, promisify(gzip)],
  deflate: [promisify(inflateRaw), promisify(deflateRaw)],
  '': [async (page) => page, async (page) => page],
};
type Coding = (page: Buffer, options: { readonly maxOutputLength?: number }) => Promise<Buffer>;

/** A page with rewritten links, or as it came. */
export type ProxiedPage = { readonly rewritten: Buffer } | { readonly unchanged: AsyncIterable<Buffer> };

/**
 * A page with rewritten links, in its original content encoding. A large page, and one in an unknown encoding, stays as
 * it is: upstream keeps pages of any size in memory.
 * Upstream: Transport.rewriteResponse
 */
export async function rewritePage(response: IncomingMessage, links: LinkRewriter): Promise<ProxiedPage> {
  const coding = CODINGS[response.headers['content-encoding'] ?? ''];
  if (coding === undefined) return { unchanged: response };
  const [unpack, pack] = coding;
  const { rewriteHtml, MAX_PAGE_BYTES } = await import('./rewrite-html.js');
  const rest: AsyncIterator<Buffer> = response.iterator({ destroyOnReturn: false });
  const { bytes, isWhole } = await readUpTo(rest, MAX_PAGE_BYTES).catch(refuseTruncated);
  const page = isWhole ? await unpack(bytes, { maxOutputLength: MAX_PAGE_BYTES }).catch(unlessTooLarge) : undefined;
  const rewritten = page && (await rewriteHtml(page.toString(), LINKS, (link) => links.rewrite(link)));
  if (rewritten === undefined) return { unchanged: joined(bytes, rest) };
  return { rewritten: await pack(Buffer.from(rewritten), {}) };
}

/** The bytes of a response, or its first ones if there are more than the maximum. */
async function readUpTo(
  chunks: AsyncIterator<Buffer>,
  max: number,
): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
  const read: Buffer[] = [];
  for (let length = 0; length <= max; ) {
    const { done, value } = await chunks.next();
    if (done) return { bytes: Buffer.concat(read), isWhole: true };
    read.push(value);
    length += value.length;
  }
  return { bytes: Buffer.concat(read), isWhole: false };
}

/** The backend ended the connection within the page. */
function refuseTruncated(): never {
  throw plainFailure(500, 'unexpected EOF');
}

/** With `info`, zlib returns its state besides the result, which Node's types do not declare. */
function gunzipped(page: Buffer, options: object): Promise<Unpacked> {
  return new Promise((resolve, reject) => {
    gunzip(page, { ...options, info: true }, (error, result: unknown) =>
      isUnpacked(result) ? resolve(result) : reject(error),
    );
  });
}

const GZIP_HEAD_BYTES = 10;
/** The format, and its only method. */
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b, 8]);

/** Go reads the head before everything else, and tells its faults in other words. */
async function unpackGzip(page: Buffer, options: { readonly maxOutputLength?: number }): Promise<Buffer> {
  const fault = headFault(page);
  if (fault !== undefined) throw plainFailure(500, `errorf making gzip reader: ${fault}`);
  const { buffer, engine } = await gunzipped(page, options);
  const rest = page.length - engine.bytesWritten;
  if (rest > 0) throw plainFailure(500, rest < GZIP_HEAD_BYTES ? 'unexpected EOF' : 'gzip: invalid header');
  return buffer;
}

/** zlib stops reading at zeros behind the page, which are no head of a further part for Go. */
interface Unpacked {
  readonly buffer: Buffer;
  readonly engine: Pick<Gunzip, 'bytesWritten'>;
}

function isUnpacked(result: unknown): result is Unpacked {
  return typeof result === 'object' && result !== null && 'engine' in result;
}

function headFault(page: Buffer): string | undefined {
  if (page.length < GZIP_HEAD_BYTES) return page.length === 0 ? 'EOF' : 'unexpected EOF';
  return page.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC) ? undefined : 'gzip: invalid header';
}

/** Texts of Go for messages of zlib. */
const GO_TEXTS: Readonly<Record<string, string>> = {
  'unexpected end of file': 'unexpected EOF',
  'incorrect header check': 'gzip: invalid header',
  'incorrect data check': 'gzip: invalid checksum',
  'incorrect length check': 'gzip: invalid checksum',
};

function unlessTooLarge(error: unknown): undefined {
  if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') return;
  const text = messageOf(error);
  throw plainFailure(500, GO_TEXTS[text] ?? text);
}

async function* joined(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}
