import { once } from 'node:events';
import { connect } from 'node:http2';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import type { ControlPlane } from '../control-plane.js';

/** A request of a test. */
interface SentRequest {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
}

/** A response as every transport has it. */
interface SentResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Sends one request, and rejects when the connection breaks. */
type Send = (request: SentRequest) => Promise<SentResponse>;

type NewSend = (plane: ControlPlane) => Send;

/** The ways to a plane: two protocols on its port, and its own fetch. */
export const transports: readonly (readonly [name: string, send: NewSend])[] = [
  ['HTTP/1.1', http1],
  ['HTTP/2', http2],
  ['in-process fetch', inProcess],
];

function http1(plane: ControlPlane): Send {
  const { token } = administrator(plane);
  return async ({ method = 'GET', path, body, contentType = 'application/json' }) => {
    const request = requestHttps(new URL(path, plane.url), {
      method,
      agent: false,
      ca: plane.authority,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': contentType }) },
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(request, 'response');
    return { status: response.statusCode, headers: response.headers, text: await text(response) };
  };
}

function http2(plane: ControlPlane): Send {
  const { token } = administrator(plane);
  return async ({ method = 'GET', path, body, contentType = 'application/json' }) => {
    const session = connect(plane.url, { ca: plane.authority });
    try {
      const stream = session.request({
        ':method': method,
        ':path': path,
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': contentType }),
      });
      stream.end(body === undefined ? undefined : JSON.stringify(body));
      const [headers] = await once(stream, 'response');
      return { status: headers[':status'], headers, text: await text(stream) };
    } finally {
      session.close();
    }
  };
}

function inProcess(plane: ControlPlane): Send {
  return async ({ method = 'GET', path, body, contentType = 'application/json' }) => {
    const response = await administrator(plane).fetch(path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': contentType } }),
    });
    return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
  };
}

function administrator(plane: ControlPlane) {
  return plane.user('root', { groups: ['system:masters'], by: 'token' });
}
