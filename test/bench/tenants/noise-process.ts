/**
 * Makes noise in a process of its own, from the first message until the process ends. Reports once that it has begun.
 */
import { type ClientHttp2Session, connect } from 'node:http2';

/** The requests of a noisy tenant. */
export type NoiseKind = 'a busy processor' | 'lists' | 'watches' | 'writes' | 'long requests' | 'wrong bodies';

/** The order to make noise. */
export interface Noise {
  readonly kind: NoiseKind;
  readonly server: string;
  readonly ca: string;
  readonly token: string;
  /** Requests at a time. */
  readonly clients: number;
  /** The path of many objects. */
  readonly collection: string;
}

/** Connections of all clients together. */
const CONNECTIONS = 8;
/** Milliseconds after which the control looks whether it should end. */
const SLICE_MS = 20;
const LARGE_BODY = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"${'x'.repeat(1_000_000)}`;

process.once('message', (noise: Noise) => {
  const { kind } = noise;
  if (kind === 'a busy processor') {
    process.send?.('begun', () => keepBusy());
    return;
  }
  const sessions = Array.from({ length: CONNECTIONS }, () => open(noise));
  for (let client = 0; client < noise.clients; client++) {
    const session = sessions[client % CONNECTIONS];
    if (session !== undefined) void repeat(() => makersOf(noise)[kind](session, client));
  }
  process.send?.('begun');
});

/** The control: as much work as a generator can do, and nothing for the server. */
function keepBusy(): void {
  const until = performance.now() + SLICE_MS;
  let sum = 0;
  while (performance.now() < until) sum += Math.sqrt(sum);
  setImmediate(keepBusy);
}

function open({ server, ca, token }: Noise): ClientHttp2Session & { readonly token?: string } {
  const session = connect(server, { ca, settings: { initialWindowSize: 2 ** 24 } });
  session.on('error', () => {});
  session.once('connect', () => session.setLocalWindowSize(2 ** 28));
  return Object.assign(session, { token });
}

/** A failure is a refused request; the next one follows. */
async function repeat(request: () => Promise<void>): Promise<never> {
  for (;;) {
    await request().catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
  }
}

type Maker = (session: ClientHttp2Session, client: number) => Promise<void>;

function makersOf({ collection, token }: Noise): Readonly<Record<Exclude<NoiseKind, 'a busy processor'>, Maker>> {
  const authorization = `Bearer ${token}`;
  const head = (method: string, path: string) => ({ ':method': method, ':path': path, authorization });
  const read = (session: ClientHttp2Session, path: string) => finished(session.request(head('GET', path)));
  const post = (session: ClientHttp2Session, body: string) => {
    const stream = session.request({ ...head('POST', collection), 'content-type': 'application/json' });
    stream.end(body);
    return finished(stream);
  };
  return {
    lists: (session) => read(session, collection),
    // Each begins with all objects, and ends after a second.
    watches: (session) => read(session, `${collection}?watch=1&resourceVersion=0&timeoutSeconds=1`),
    writes: (session) => post(session, JSON.stringify(configMap())),
    // As an exec or a proxied upload: the request stays open, and its bytes trickle in.
    'long requests': async (session) => {
      const stream = session.request({ ...head('POST', collection), 'content-type': 'application/json' });
      stream.on('error', () => {});
      stream.resume();
      for (let part = 0; part < 10; part++) {
        stream.write('{"kind":"ConfigMap",');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      stream.close();
    },
    'wrong bodies': (session) => post(session, LARGE_BODY),
  };
}

function configMap(): object {
  const metadata = { generateName: 'noise-' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'x'.repeat(800) } };
}

function finished(stream: ReturnType<ClientHttp2Session['request']>): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.on('error', reject);
    stream.on('close', resolve);
    stream.resume();
  });
}
