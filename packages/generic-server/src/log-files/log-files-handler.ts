import { Buffer } from 'node:buffer';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { newInternalError } from '@apiserver/apimachinery/errors';
import { parseHttpTime } from '@apiserver/apimachinery/values';
import type { ApiResponse, Exchange, Handler } from '@apiserver/apiserver-contracts';
import { plainTextError } from '../serving/transport/plain-text.js';
import { type ByteRange, byteRange } from './byte-range.js';
import { sniffContentType } from './sniff-content-type.js';

/** Upstream: maxLogNameLength, the limit of a file's name in most file systems */
const MAX_NAME_BYTES = 255;
const CHUNK_BYTES = 64 * 1024;

/**
 * Serves the files below a directory and lists its folders, for paths that begin with `/logs`.
 * Upstream: pkg/routes/logs.go, and net/http.ServeFile
 */
export function logFilesHandler(directory: string): Handler {
  return async (exchange) => {
    const { method, path } = exchange.request;
    if (method !== 'GET' && method !== 'HEAD') return plainTextError(exchange, 405, '405: Method Not Allowed');
    const segments = path.slice('/logs'.length).split('/');
    if (segments.some((segment) => Buffer.byteLength(segment) > MAX_NAME_BYTES)) {
      return plainTextError(exchange, 404, 'file not found');
    }
    if (segments.includes('..')) return plainTextError(exchange, 400, 'invalid URL path');
    return await respond(exchange, join(directory, ...segments)).catch((error: NodeJS.ErrnoException) =>
      refuse(exchange, error),
    );
  };
}

/** Upstream: toHTTPError of net/http */
function refuse(exchange: Exchange, { code }: NodeJS.ErrnoException): ApiResponse {
  if (code === 'ENOENT' || code === 'ENOTDIR') return plainTextError(exchange, 404, '404 page not found');
  if (code === 'EACCES' || code === 'EPERM') return plainTextError(exchange, 403, '403 Forbidden');
  return plainTextError(exchange, 500, '500 Internal Server Error');
}

async function respond(exchange: Exchange, path: string): Promise<ApiResponse> {
  const file = await open(path);
  let handedOver = false;
  try {
    const stat = await file.stat();
    if (stat.isDirectory()) return await listing(exchange, path);
    const response = await fileResponse(exchange, file, { size: stat.size, modified: stat.mtime });
    handedOver = response.type === 'chunks';
    return response;
  } finally {
    if (!handedOver) await file.close();
  }
}

async function listing({ responseHeaders }: Exchange, path: string): Promise<ApiResponse> {
  const entries = await readdir(path, { withFileTypes: true });
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  const links = names.map((name) => `<a href="${hrefOf(name)}">${escapeHtml(name)}</a>\n`).join('');
  responseHeaders.set('content-type', 'text/html; charset=utf-8');
  const head = '<!doctype html>\n<meta name="viewport" content="width=device-width">\n';
  return { type: 'bytes', status: 200, body: Buffer.from(`${head}<pre>\n${links}</pre>\n`) };
}

/** A name as a relative reference: one with a colon would be taken for a scheme. */
function hrefOf(name: string): string {
  const encoded = encodeURI(name).replaceAll('?', '%3F').replaceAll('#', '%23').replaceAll("'", '%27');
  return escapeHtml(encoded.includes(':') ? `./${encoded}` : encoded);
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&#34;')
    .replaceAll("'", '&#39;');
}

interface LogFile {
  readonly size: number;
  readonly modified: Date;
}

/** Upstream: serveContent of net/http. Of several ranges, all of the file is sent. */
async function fileResponse(exchange: Exchange, file: FileHandle, { size, modified }: LogFile): Promise<ApiResponse> {
  const { request, responseHeaders } = exchange;
  const seconds = Math.floor(modified.getTime() / 1_000) * 1_000;
  responseHeaders.set('last-modified', new Date(seconds).toUTCString());
  const known = parseHttpTime(request.headers.get('if-modified-since') ?? '');
  if (known !== undefined && seconds <= known) return { type: 'bytes', status: 304, body: undefined };
  responseHeaders.set('accept-ranges', 'bytes');
  const range = byteRange(request.headers.get('range'), size);
  if (range === 'unsatisfiable') {
    responseHeaders.set('content-range', `bytes */${size}`);
    return plainTextError(exchange, 416, 'invalid range: failed to overlap');
  }
  responseHeaders.set('content-type', sniffContentType(await startOf(file)));
  const part = range ?? { start: 0, length: size };
  if (range !== undefined) {
    responseHeaders.set('content-range', `bytes ${part.start}-${part.start + part.length - 1}/${size}`);
  }
  responseHeaders.set('content-length', String(part.length));
  const status = range === undefined ? 200 : 206;
  if (request.method === 'HEAD') return { type: 'bytes', status, body: undefined };
  // Also if the client leaves before the first chunk.
  exchange.onFinished(() => void file.close());
  return { type: 'chunks', status, chunks: chunksOf(file, part), isPatient: true };
}

/** The first bytes, from which the content type is guessed. */
async function startOf(file: FileHandle): Promise<Uint8Array> {
  const buffer = Buffer.alloc(512);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
  return buffer.subarray(0, bytesRead);
}

async function* chunksOf(file: FileHandle, { start, length }: ByteRange): AsyncGenerator<Uint8Array, void> {
  for (let at = start, left = length; left > 0; ) {
    const buffer = Buffer.allocUnsafe(Math.min(left, CHUNK_BYTES));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) throw newInternalError('the file became shorter');
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
    left -= bytesRead;
  }
}
