import { finished } from 'node:stream/promises';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { isParseError } from '@apiserver/apimachinery/text';
import { RewritingStream } from 'parse5-html-rewriting-stream';

/** Characters of a page that are read between two looks at the clock. */
const CHUNK = 8 * 1024;

/** Maximum number of bytes of a page whose links are rewritten, and of its characters afterwards. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;
/** Maximum number of characters of a tag's attributes. */
const MAX_ATTRIBUTES = 512 * 1024;
/** Maximum number of elements that begin another namespace. The parser moves all open ones for each. */
const MAX_FOREIGN = 10_000;
const FOREIGN: ReadonlySet<string> = new Set(['svg', 'math']);

/** Characters that Go's html.EscapeString escapes. */
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  '\r': '&#13;',
};

/**
 * Rewrites the links in a page's start tags, in time slices; everything else stays the same byte for byte. A link for
 * which `rewrite` throws a ParseError stays, too. Undefined for a page that would take too much memory or time.
 * Upstream: rewriteHTML in k8s.io/apimachinery/pkg/util/proxy/transport.go
 */
export async function rewriteHtml(
  page: string,
  links: Readonly<Record<string, readonly string[]>>,
  rewrite: (link: string) => string,
): Promise<string | undefined> {
  const stream = new RewritingStream();
  let foreign = 0;
  let isTooLarge = false;
  stream.on('startTag', ({ tagName, attrs, selfClosing }) => {
    if (FOREIGN.has(tagName)) foreign++;
    isTooLarge ||= foreign > MAX_FOREIGN || lengthOf(attrs) > MAX_ATTRIBUTES;
    if (isTooLarge) return;
    const changed = attrs.map(({ name, value }) => {
      const isLink = Object.hasOwn(links, tagName) && links[tagName]?.includes(name);
      return ` ${name}="${escaped(isLink ? rewrittenLink(value, rewrite) : value)}"`;
    });
    stream.emitRaw(`<${tagName}${changed.join('')}${selfClosing ? '/' : ''}>`);
  });
  // Without a listener, the stream would serialize these again in its own format.
  stream.on('endTag', (_tag, raw) => stream.emitRaw(raw));
  stream.on('doctype', (_doctype, raw) => stream.emitRaw(raw));
  stream.on('comment', (_comment, raw) => stream.emitRaw(raw));
  stream.on('text', (_text, raw) => stream.emitRaw(raw));
  let rewritten = '';
  // The stream flows from the start, with or without listeners.
  stream.on('data', (chunk) => {
    rewritten += String(chunk);
  });
  const slice = new TimeSlice();
  for (let at = 0; at < page.length; at += CHUNK) {
    if (slice.over) await slice.yield();
    await written(stream, page.slice(at, at + CHUNK));
    isTooLarge ||= rewritten.length > MAX_PAGE_BYTES;
    if (isTooLarge) return undefined;
  }
  stream.end();
  await finished(stream);
  return isTooLarge || rewritten.length > MAX_PAGE_BYTES ? undefined : rewritten;
}

/** Resolves when the chunk has been parsed: the stream would parse those that wait at once. */
function written(stream: RewritingStream, chunk: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}

function lengthOf(attributes: readonly { readonly name: string; readonly value: string }[]): number {
  let length = 0;
  for (const { name, value } of attributes) length += name.length + value.length;
  return length;
}

function rewrittenLink(link: string, rewrite: (link: string) => string): string {
  try {
    return rewrite(link);
  } catch (error) {
    if (isParseError(error)) return link;
    throw error;
  }
}

function escaped(value: string): string {
  return value.replace(/[&'<>"\r]/g, (char) => ESCAPES[char] ?? char);
}
