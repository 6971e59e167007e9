import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';

/** The contents of a kubeconfig that the server wrote. */
export interface Credentials {
  readonly server: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface ClientResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Reads the embedded credentials of an admin.kubeconfig. */
export function readCredentials(kubeconfig: string): Credentials {
  const text = readFileSync(kubeconfig, 'utf8');
  const value = (name: string) => new RegExp(`${name}: (\\S+)`).exec(text)?.[1] ?? '';
  const pem = (name: string) => Buffer.from(value(name), 'base64').toString('utf8');
  return {
    server: value('server'),
    ca: pem('certificate-authority-data'),
    cert: pem('client-certificate-data'),
    key: pem('client-key-data'),
  };
}

/** A header may have several values. */
export type RequestHeaders = Readonly<Record<string, string | string[]>>;

/** The user of a client. */
export interface AdminClientOptions {
  readonly isStranger?: boolean;
  readonly identity?: { readonly cert: string; readonly key: string };
}

/** Requests as the administrator over one HTTP/2 connection: nothing between the test and the wire. */
export class AdminClient implements Disposable {
  readonly session: ClientHttp2Session;

  /** `isStranger`: without a certificate; `identity`: with another one than the administrator's. */
  constructor(kubeconfig: string, { isStranger = false, identity }: AdminClientOptions = {}) {
    const { server, ca, cert, key } = readCredentials(kubeconfig);
    this.session = connect(server, isStranger ? { ca } : { ca, ...(identity ?? { cert, key }) });
    // A test that does not wait for a response must not fail when the connection ends.
    this.session.on('error', () => {});
  }

  async request(method: string, path: string, body?: unknown, headers: RequestHeaders = {}): Promise<ClientResponse> {
    const contentType = body === undefined ? {} : { 'content-type': 'application/json' };
    const fields = { ':method': method, ':path': path, ...contentType, ...headers };
    // Node takes it that a DELETE has no body, and that a POST has one.
    const stream = this.session.request(fields, { endStream: body === undefined });
    if (body !== undefined) stream.end(typeof body === 'string' ? body : JSON.stringify(body));
    const responseHeaders = await responseOf(stream);
    let text = '';
    stream.setEncoding('utf8');
    for await (const chunk of stream) text += chunk;
    // Node ends a stream in order when its socket is gone.
    const announced = Number(responseHeaders['content-length'] ?? 0);
    if (stream.aborted || Buffer.byteLength(text) < announced) throw new Error(`${method} ${path} was broken off`);
    return { status: Number(responseHeaders[':status']), headers: responseHeaders, body: text };
  }

  /** The body of a GET as it came. */
  async bytes(path: string, headers: Record<string, string>): Promise<Buffer> {
    const stream = this.session.request({ ':method': 'GET', ':path': path, ...headers });
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async json(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    return JSON.parse((await this.request(method, path, body)).body);
  }

  /** The events of a watch as they come; ends with the stream or with `signal`. */
  async *watch(path: string, signal: AbortSignal): AsyncGenerator<{ type: string; object: WatchedObject }> {
    const stream = this.session.request({ ':method': 'GET', ':path': path });
    signal.addEventListener('abort', () => stream.close(), { once: true });
    stream.setEncoding('utf8');
    let rest = '';
    try {
      for await (const chunk of stream) {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) yield JSON.parse(line);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  [Symbol.dispose](): void {
    this.session.destroy();
  }
}

/** A stream whose session goes is closed without an error. */
function responseOf(stream: ClientHttp2Stream): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    stream.once('response', resolve);
    stream.once('error', reject);
    stream.once('close', () => reject(new Error('closed before a response came')));
  });
}

/** As much of an object as watches in tests look at. */
export interface WatchedObject {
  readonly kind: string;
  readonly code?: number;
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}
