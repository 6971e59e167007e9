import type { Status } from '@apiserver/apimachinery';
import { isStatusError, StatusError } from '@apiserver/apimachinery/errors';
import { type BackendLocation, type BackendTransport, hostOf, locationText } from '../backend/backend.js';
import { SpdyConnection } from '../spdy/spdy-connection.js';
import type { SpdyStream } from '../spdy/spdy-stream.js';
import { type BackendUpgradeResponse, openUpgrade, UpgradeFailure } from '../upgrade-aware/open-upgrade.js';
import { decodedBody, readResponseBody } from '../upgrade-aware/response-body.js';
import { headerOf } from '../upgrade-aware/response-head.js';
import type { CommandStreams } from './command-channels.js';
import { REMOTE_COMMAND_PROTOCOLS } from './remote-command.js';

/** Milliseconds. Upstream: PingPeriod in k8s.io/apiserver/pkg/util/proxy/streamtranslator.go */
const PING_PERIOD_MS = 5_000;

/** A command on a backend, with its streams. */
export interface RemoteCommand {
  readonly connection: SpdyConnection;
  /** The version of the remote-command protocol that the backend selected. */
  readonly protocol: string;
  readonly error: SpdyStream;
  readonly stdin: SpdyStream | undefined;
  readonly stdout: SpdyStream | undefined;
  readonly stderr: SpdyStream | undefined;
  readonly resize: SpdyStream | undefined;
}

/**
 * Starts a command over SPDY. Throws the backend's own Status if it sends one, else an Error with the message for the
 * client. Redirects are refused.
 * Upstream: NewSPDYExecutorRejectRedirects and streamProtocolV4 in client-go/tools/remotecommand
 */
export async function openCommand(
  location: BackendLocation,
  transport: BackendTransport,
  streams: CommandStreams,
  signal: AbortSignal,
): Promise<RemoteCommand> {
  const response = await upgraded(location, transport, signal);
  const connection = new SpdyConnection(response.socket, { head: response.rest, pingPeriod: PING_PERIOD_MS });
  signal.addEventListener('abort', () => connection.close(), { once: true });
  const protocol = headerOf(response.head, 'x-stream-protocol-version') || 'channel.k8s.io';
  try {
    return { connection, protocol, ...(await openStreams(connection, streams, protocol)) };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** In upstream's order, because the peer accepts them in the order they arrive. */
async function openStreams(
  connection: SpdyConnection,
  { stdin, stdout, stderr, tty }: CommandStreams,
  protocol: string,
) {
  const open = (streamtype: string) => connection.openStream({ streamtype });
  const resizes = tty && !/^(?:v2\.)?channel\./.test(protocol);
  const opened = {
    error: await open('error'),
    stdin: stdin ? await open('stdin') : undefined,
    stdout: stdout ? await open('stdout') : undefined,
    stderr: stderr && !tty ? await open('stderr') : undefined,
    resize: resizes ? await open('resize') : undefined,
  };
  // Nothing should arrive on these; unread data would block the other streams.
  opened.stdin?.resume();
  opened.resize?.resume();
  return opened;
}

async function upgraded(
  location: BackendLocation,
  transport: BackendTransport,
  signal: AbortSignal,
): Promise<BackendUpgradeResponse> {
  const headers = {
    Connection: 'Upgrade',
    'Content-Length': '0',
    Upgrade: 'SPDY/3.1',
    'X-Stream-Protocol-Version': [...REMOTE_COMMAND_PROTOCOLS],
  };
  let response: BackendUpgradeResponse;
  try {
    response = await openUpgrade(location, transport, { method: 'POST', host: hostOf(location), headers }, signal);
  } catch (error) {
    if (error instanceof UpgradeFailure) throw new Error(sendingFailed(location, error.reason));
    throw error;
  }
  if (isSpdy(response)) return response;
  const { status } = response.head;
  const body = decodedBody(response, await readResponseBody(response)).toString();
  if (status >= 300 && status < 400) throw new Error(sendingFailed(location, 'redirect not allowed'));
  throw refusal(body);
}

function sendingFailed(location: BackendLocation, reason: string): string {
  return `error sending request: Post "${locationText(location)}": ${reason}`;
}

function isSpdy({ head }: BackendUpgradeResponse): boolean {
  return (
    head.status === 101 &&
    headerOf(head, 'connection').toLowerCase().includes('upgrade') &&
    headerOf(head, 'upgrade').toLowerCase().includes('spdy/3.1')
  );
}

function refusal(body: string): Error {
  const status = statusIn(body);
  return status === undefined ? new Error(`unable to upgrade connection: ${body.trim()}`) : new StatusError(status);
}

function statusIn(body: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== 'object' || value === null || Reflect.get(value, 'kind') !== 'Status') return undefined;
    const error = new StatusError(value as Status);
    return isStatusError(error) ? error.status : undefined;
  } catch {
    return undefined;
  }
}
