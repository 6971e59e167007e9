import { type ClientHttp2Session, connect } from 'node:http2';
import type { Credentials } from '../../harness/admin-client.ts';

/** Sorted latencies in milliseconds, and requests that failed. */
export interface Latencies {
  readonly sorted: readonly number[];
  readonly failures: number;
}

/** The experience of a quiet tenant. */
export interface Experience {
  readonly get: Latencies;
  readonly lease: Latencies;
  readonly health: Latencies;
}

/** Where the tenant's objects are. */
export interface QuietOptions {
  readonly credentials: Pick<Credentials, 'server' | 'ca'>;
  readonly token: string;
  readonly object: string;
  readonly lease: string;
}

/** Reads an object often, renews a lease and asks for the health now and then, one request at a time each. */
export async function beQuiet(options: QuietOptions, milliseconds: number): Promise<Experience> {
  const { credentials, token, object, lease } = options;
  const session = connect(credentials.server, { ca: credentials.ca });
  session.on('error', () => {});
  const authorization = `Bearer ${token}`;
  const until = performance.now() + milliseconds;
  try {
    const [get, renewed, health] = await Promise.all([
      each(10, until, () => send(session, { ':path': object, authorization })),
      each(100, until, (i) =>
        send(
          session,
          { ':method': 'PATCH', ':path': lease, authorization, 'content-type': 'application/merge-patch+json' },
          JSON.stringify({ spec: { leaseTransitions: i } }),
        ),
      ),
      each(100, until, () => send(session, { ':path': '/livez', authorization })),
    ]);
    return { get, lease: renewed, health };
  } finally {
    session.destroy();
  }
}

/** Sends requests at intervals, but never two at a time. */
async function each(interval: number, until: number, request: (i: number) => Promise<number>): Promise<Latencies> {
  const latencies: number[] = [];
  let failures = 0;
  for (let i = 0; performance.now() < until; i++) {
    const begun = performance.now();
    if ((await request(i)) !== 200) failures++;
    const taken = performance.now() - begun;
    latencies.push(taken);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, interval - taken)));
  }
  return { sorted: latencies.sort((a, b) => a - b), failures };
}

function send(session: ClientHttp2Session, headers: Record<string, string>, body?: string): Promise<number> {
  return new Promise((resolve) => {
    const stream = session.request(headers, { endStream: body === undefined });
    let status = 0;
    stream.on('response', (received) => {
      status = Number(received[':status']);
    });
    stream.on('error', () => {});
    stream.on('close', () => resolve(status));
    stream.resume();
    if (body !== undefined) stream.end(body);
  });
}
