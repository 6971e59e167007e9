import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import { isStatusError } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange } from '@apiserver/apiserver-contracts';
import { bytes } from './test-responses.js';

/** The handler of the cases of HTTP/1.1, which responds as `testdata/go-http1` does. */
export async function respondToHttp1Case({ request, responseHeaders }: Exchange): Promise<ApiResponse> {
  responseHeaders.set('content-type', 'text/plain; charset=utf-8');
  const { method, url, path, host } = request;
  switch (path) {
    case '/head':
      responseHeaders.set('x-head', 'true');
      return bytes(200, 'head');
    case '/read':
      return request.readBody(2 ** 20).then(
        (body) => bytes(200, `read ${Buffer.from(body).toString()}`),
        (error: unknown) => bytes(500, isStatusError(error) ? error.message : String(error)),
      );
    case '/stream':
      return {
        type: 'stream',
        status: 200,
        run: async (writer) => {
          writer.write(Buffer.from('a'));
          await sleep(5);
          writer.write(Buffer.from('b'));
        },
      };
    default:
      return bytes(200, [method, url, path, host].join(' '));
  }
}
