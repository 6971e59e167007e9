import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { type Clock, durationClock, sleep } from '@apiserver/apimachinery/clock';
import { goWordsOf, messageOf } from '@apiserver/apimachinery/errors';
import { socketPathOf } from '../socket-path.js';

/** Milliseconds for all attempts. Upstream: grpc.WithTimeout of udsGRPCConnector */
const TIMEOUT_MS = 30_000;
/** Milliseconds of one attempt. Upstream: minConnectTimeout of google.golang.org/grpc */
const ATTEMPT_TIMEOUT_MS = 20_000;
/** Milliseconds before the second attempt, and the growth. Upstream: backoff.DefaultConfig of google.golang.org/grpc */
const FIRST_PAUSE_MS = 1_000;
const GROWTH = 1.6;

/** The server could not be reached. */
class ServerUnreachableError extends Error {}

/** The clock of a dial, and the signal that gives it up. */
export interface DialPatience {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Connects to a konnectivity server on a unix socket. Tries again for 30 seconds, or until the signal aborts. Rejects
 * with the last failure in upstream's words, or with the reason of the signal.
 * Upstream: grpc.DialContext with WithBlock and WithReturnConnectionError
 */
export async function connectToServer(path: string, patience: DialPatience): Promise<ClientHttp2Session> {
  const { signal } = patience;
  const clock = durationClock(patience.clock);
  const deadline = clock.now() + TIMEOUT_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause *= GROWTH) {
    signal?.throwIfAborted();
    try {
      return await attempt(path, { clock, signal }, Math.min(ATTEMPT_TIMEOUT_MS, deadline - clock.now()));
    } catch (error) {
      const left = Math.max(deadline - clock.now(), 0);
      await sleep(clock, Math.min(pause, left), signal);
      if (left > pause || signal?.aborted) continue;
      const words = goWordsOf(error);
      const reason = words === undefined ? messageOf(error) : `dial unix ${path}: connect: ${words}`;
      const description = JSON.stringify(`transport: Error while dialing: ${reason}`);
      const text = `context deadline exceeded: connection error: desc = ${description}`;
      throw new ServerUnreachableError(text, { cause: error });
    }
  }
}

/** Resolves once the server has sent its settings, which proves that it speaks HTTP/2. */
async function attempt(path: string, { clock, signal }: DialPatience, timeout: number): Promise<ClientHttp2Session> {
  const { promise, resolve, reject } = Promise.withResolvers<ClientHttp2Session>();
  const session = connectHttp2('http://localhost', { createConnection: () => connect(socketPathOf(path)) });
  // Later errors end the streams of the session.
  session.on('error', reject);
  session.once('close', () => reject(new Error('error reading server preface: EOF')));
  session.once('remoteSettings', () => resolve(session));
  const giveUp = () => {
    reject(new Error('error reading server preface: i/o timeout'));
    session.destroy();
  };
  const cancel = clock.schedule(giveUp, timeout);
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    return await promise;
  } finally {
    cancel();
    signal?.removeEventListener('abort', giveUp);
  }
}
