import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callHandler } from '../testing/call-handler.js';
import { logFilesHandler } from './log-files-handler.js';

let folder = '';
const MODIFIED = new Date('2026-01-02T03:04:05Z');
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-files-'));
  mkdirSync(join(folder, 'pods'));
  writeFileSync(join(folder, 'a & <b>:1.log'), 'line 1\nline 2\n');
  writeFileSync(join(folder, 'old.gz'), gzipSync('line'));
  writeFileSync(join(folder, 'binary'), Buffer.of(0, 1));
  writeFileSync(join(folder, 'pods/empty.log'), '');
  utimesSync(join(folder, 'a & <b>:1.log'), MODIFIED, MODIFIED);
});
afterAll(() => rmSync(folder, { recursive: true }));

const call = (url: string, headers = {}, method = 'GET') =>
  callHandler(logFilesHandler(folder), { url, headers, method });

it.each(['/logs', '/logs/'])('%s lists the folder', async (path) => {
  const { status, headers, body } = await call(path);
  expect([status, headers['content-type'], body]).toEqual([
    200,
    'text/html; charset=utf-8',
    '<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n' +
      '<a href="./a%20&amp;%20%3Cb%3E:1.log">a &amp; &lt;b&gt;:1.log</a>\n' +
      '<a href="binary">binary</a>\n<a href="old.gz">old.gz</a>\n<a href="pods/">pods/</a>\n</pre>\n',
  ]);
});

it.each([
  ['/logs/pods/empty.log', '', 'text/plain; charset=utf-8'],
  ['/logs/a%20&%20%3Cb%3E:1.log', 'line 1\nline 2\n', 'text/plain; charset=utf-8'],
  ['/logs/binary', '\0\u0001', 'application/octet-stream'],
])('%s is served', async (path, content, type) => {
  const { status, headers, body } = await call(path);
  expect([status, body, headers['content-type'], headers['content-length']]).toEqual([
    200,
    content,
    type,
    String(content.length),
  ]);
});

it('tells the type of compressed logs', async () => {
  expect((await call('/logs/old.gz', {}, 'HEAD')).headers['content-type']).toBe('application/x-gzip');
});

const LOG = '/logs/a%20&%20%3Cb%3E:1.log';
it.each<[string, number, string, string | undefined]>([
  ['bytes=7-', 206, 'line 2\n', 'bytes 7-13/14'],
  ['bytes=0-3', 206, 'line', 'bytes 0-3/14'],
  ['bytes=-2', 206, '2\n', 'bytes 12-13/14'],
  ['bytes=0-999', 206, 'line 1\nline 2\n', 'bytes 0-13/14'],
  ['bytes=14-', 416, 'invalid range: failed to overlap\n', 'bytes */14'],
  ['bytes=3-1', 416, 'invalid range: failed to overlap\n', 'bytes */14'],
  ['bytes=0-1,3-4', 200, 'line 1\nline 2\n', undefined],
  ['lines=1', 200, 'line 1\nline 2\n', undefined],
])('Range: %s is a %d', async (range, status, body, contentRange) => {
  const response = await call(LOG, { range });
  expect([response.status, response.body, response.headers['content-range']]).toEqual([status, body, contentRange]);
});

it.each([
  ['Fri, 02 Jan 2026 03:04:05 GMT', 304],
  ['Fri, 02 Jan 2026 03:04:04 GMT', 200],
  ['yesterday', 200],
])('If-Modified-Since: %s is a %d', async (since, status) => {
  const response = await call(LOG, { 'if-modified-since': since });
  expect([response.status, response.headers['last-modified']]).toEqual([status, 'Fri, 02 Jan 2026 03:04:05 GMT']);
});

it.each([
  ['/logs/none', 404, '404 page not found\n'],
  ['/logs/binary/none', 404, '404 page not found\n'],
  [`/logs/${'x'.repeat(256)}`, 404, 'file not found\n'],
  ['/logs/../../etc/passwd', 400, 'invalid URL path\n'],
  ['/logs/%2e%2e/%2e%2e/etc/passwd', 400, 'invalid URL path\n'],
])('%s is a %d', async (path, status, body) => {
  expect(await call(path)).toMatchObject({ status, body });
});

it('serves GET and HEAD only', async () => {
  expect(await call('/logs/binary', {}, 'POST')).toMatchObject({ status: 405, body: '405: Method Not Allowed\n' });
});
