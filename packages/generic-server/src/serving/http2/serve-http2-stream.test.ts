import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import type { RequestHead } from '@apiserver/http2';
import { describe, expect, it } from 'vitest';
import type { Connection } from '../transport/connection.js';
import { transportContext } from '../transport/transport-context.js';
import type { Http2Stream } from './http2-stream.js';
import { serveHttp2Stream } from './serve-http2-stream.js';

/** Calls by which a stream with that head is answered. */
function responseTo(head: Partial<RequestHead>): unknown[] {
  const calls: unknown[] = [];
  const stream: Partial<Http2Stream> = {
    head: { rawHeaders: [], refusal: undefined, ...head } as RequestHead,
    respond: (status, fields, endStream) => calls.push({ status, fields, endStream }),
    write: (bytes) => {
      calls.push(bytes.toString());
      return true;
    },
    end: () => calls.push('end'),
    reset: (code) => calls.push({ code }),
  };
  const handler = () => ({ type: 'bytes', status: 200, body: undefined }) as const;
  const context = transportContext({ handler, logger: createTestLogger().logger, now: () => 0 });
  serveHttp2Stream(context, stream as Http2Stream, {} as Connection);
  return calls;
}

describe('a request that no handler gets', () => {
  const fields = {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-length': '4',
    date: 'Thu, 01 Jan 1970 00:00:00 GMT',
  };

  it.each<[string, Partial<RequestHead>, unknown[]]>([
    [
      'with wrong fields',
      { method: 'GET', path: '/', refusal: 'why' },
      [{ status: 400, fields, endStream: false }, 'why\n', 'end'],
    ],
    [
      'of HEAD with wrong fields',
      { method: 'HEAD', path: '/', refusal: 'why' },
      [{ status: 400, fields, endStream: true }],
    ],
    ['with a malformed target', { method: 'GET', path: '/%zz' }, [{ code: 1 }]],
    ['for an absolute URL', { method: 'GET', path: 'https://other/' }, [{ code: 1 }]],
    ['with a control character in its path', { method: 'GET', path: '/a\tb' }, [{ code: 1 }]],
    ['with a control character in its query', { method: 'GET', path: '/?\x7f' }, [{ code: 1 }]],
  ])('%s', (_, head, expected) => {
    expect(responseTo(head)).toEqual(expected);
  });
});
