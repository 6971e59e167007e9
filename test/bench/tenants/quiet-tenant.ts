import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { setTimeout } from 'node:timers/promises';
import type { Credentials } from '../../harness/admin-client.ts';
import { monotonicNow, type Sent } from './probe-record.ts';

/** The requests of a quiet tenant, in order, and how many of them failed. */
interface Requests {
  readonly sent: readonly Sent[];
  readonly failures: number;
}

/** The kinds of requests of a quiet tenant. */
export type QuietRequest = 'get' | 'lease' | 'livez';

export type Experience = Readonly<Record<QuietRequest, Requests>>;

/** The addresses from which it connects, one for each request, so that the probe of the server can tell them. */
export const ADDRESSES: Readonly<Record<QuietRequest, string>> = {
  get: '127.0.0.2',
  lease: '127.0.0.3',
  livez: '127.0.0.4',
};

/** Where the tenant's objects are. */
export interface QuietOptions {
  readonly credentials: Pick<Credentials, 'server' | 'ca'>;
  readonly token: string;
  readonly object: string;
  readonly lease: string;
}

/** Reads an object often, renews a lease and asks for the health now and then, one request at a time each. */
export async function beQuiet(options: QuietOptions, milliseconds: number): Promise<Experience> {
  const { token, object, lease } = options;
  const authorization = `Bearer ${token}`;
  const open = (request: QuietRequest) => openSession(options, ADDRESSES[request]);
  const sessions = await Promise.all([open('get'), open('lease'), open('livez')]);
  const [gets, leases, healths] = sessions;
  const until = monotonicNow() + milliseconds;
  const headers = { ':method': 'PATCH', ':path': lease, authorization, 'content-type': 'application/merge-patch+json' };
  const renew = (i: number) => send(leases, headers, JSON.stringify({ spec: { leaseTransitions: i } }));
  const [get, renewed, livez] = await Promise.all([
    each(10, until, () => send(gets, { ':path': object, authorization })),
    each(100, until, renew),
    each(100, until, () => send(healths, { ':path': '/livez', authorization })),
  ]);
  await Promise.all(sessions.map((session) => new Promise((resolve) => session.close(() => resolve(undefined)))));
  return { get, lease: renewed, livez };
}

async function openSession({ credentials }: QuietOptions, localAddress: string): Promise<ClientHttp2Session> {
  const options = { ca: credentials.ca, localAddress };
  const session = connect(credentials.server, options);
  session.on('error', () => {});
  await once(session, 'connect');
  return session;
}

/** Sends requests at intervals, but never two at a time. */
async function each(interval: number, until: number, request: (i: number) => Promise<number>): Promise<Requests> {
  const sent: Sent[] = [];
  let failures = 0;
  for (let i = 0; ; i++) {
    const begun = monotonicNow();
    if (begun >= until) return { sent, failures };
    if ((await request(i)) !== 200) failures++;
    const ended = monotonicNow();
    sent.push({ begun, ended });
    await setTimeout(Math.max(0, interval - (ended - begun)));
  }
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
