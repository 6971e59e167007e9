import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { deflateRaw, gunzip, gzip, inflateRaw } from 'node:zlib';
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
  gzip: [promisify(gunzip), promisify(gzip)],
  deflate: [promisify(inflateRaw), promisify(deflateRaw)],
  '': [async (page) => page, async (page) => page],
};
type Coding = (page: Buffer) => Promise<Buffer>;

/**
 * A page with rewritten links, in its original content encoding. Undefined, with nothing read, for an unknown
 * encoding.
 * Upstream: Transport.rewriteResponse
 */
export async function rewritePage(response: IncomingMessage, links: LinkRewriter): Promise<Buffer | undefined> {
  const coding = CODINGS[response.headers['content-encoding'] ?? ''];
  if (coding === undefined) return undefined;
  const { rewriteHtml } = await import('./rewrite-html.js');
  const [unpack, pack] = coding;
  const page = await unpack(Buffer.concat(await Array.fromAsync<Buffer>(response)));
  return pack(Buffer.from(await rewriteHtml(page.toString(), LINKS, (link) => links.rewrite(link))));
}
