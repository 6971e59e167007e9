import { finished } from 'node:stream/promises';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { isParseError } from '@apiserver/apimachinery/text';
import { RewritingStream } from 'parse5-html-rewriting-stream';

/** Characters of a page that are read between two looks at the clock. */
const CHUNK = 64 * 1024;

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
 * which `rewrite` throws a ParseError stays, too.
 * Upstream: rewriteHTML in k8s.io/apimachinery/pkg/util/proxy/transport.go
 */
export async function rewriteHtml(
  page: string,
  links: Readonly<Record<string, readonly string[]>>,
  rewrite: (link: string) => string,
): Promise<string> {
  const stream = new RewritingStream();
  stream.on('startTag', ({ tagName, attrs, selfClosing }) => {
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
    stream.write(page.slice(at, at + CHUNK));
  }
  stream.end();
  await finished(stream);
  return rewritten;
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
