import type { RawHttp2Client } from './raw-http2-client.js';

/** Upstream: RFC 9113, section 7 */
const CODE_NAMES = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
] as const;
type CodeName = (typeof CODE_NAMES)[number];

/**
 * The reaction of a server. It ends the connection (with a GOAWAY or without), resets the stream, responds with a
 * status, or ignores the frame.
 */
export type Outcome = `connection ${CodeName}` | 'closed' | `stream ${CodeName}` | `responded ${number}` | 'ignored';

/** Bytes of a client, and the required reaction. */
export interface Http2Case {
  readonly name: string;
  /** Sent before the bytes of the case; then waits for the response on this stream. */
  readonly first?: { readonly bytes: Buffer; readonly endOf: number };
  readonly bytes: Buffer | ((client: RawHttp2Client) => Buffer);
  /** The stream of the outcome. Default: 1. */
  readonly stream?: number;
  /** Any of these outcomes is valid. */
  readonly expected: readonly Outcome[];
}

/** An outcome that differs from the expected one. */
export interface Difference {
  readonly instead: Outcome;
  readonly because: string;
}

/** Runs a case on a connection after its handshake. */
export async function outcomeOf(
  client: RawHttp2Client,
  test: Http2Case,
  expected: readonly Outcome[],
): Promise<Outcome> {
  if (test.first !== undefined) {
    await client.raw(test.first.bytes);
    await client.whole(test.first.endOf);
  }
  const stream = test.stream ?? 1;
  client.countsWindows = false;
  const seen = outcomeNow(client, stream);
  await client.raw(typeof test.bytes === 'function' ? test.bytes(client) : test.bytes);
  await client.ping();
  const hasNews = () => client.isOver || outcomeNow(client, stream) !== seen;
  if (!expected.includes('ignored')) await client.until(expected.join(' or '), hasNews).catch(() => {});
  // Frames of a stream may follow the response to a ping.
  else if (await client.ping()) await client.ping();
  if (client.goaway === undefined && client.closed) return 'closed';
  const outcome = outcomeNow(client, stream);
  return outcome === seen && !client.isOver ? 'ignored' : outcome;
}

function outcomeNow(client: RawHttp2Client, stream: number): Outcome {
  if (client.goaway !== undefined && client.goaway.code !== 0) return `connection ${nameOf(client.goaway.code)}`;
  const response = client.responses.get(stream);
  const isReset = response?.resetCode !== undefined && (response.resetCode !== 0 || !response.ended);
  if (isReset) return `stream ${nameOf(response.resetCode ?? 0)}`;
  return response?.ended === true ? `responded ${response.statuses.at(-1) ?? 0}` : 'ignored';
}

function nameOf(code: number): CodeName {
  const name = CODE_NAMES[code];
  if (name === undefined) throw new Error(`there is no code ${code}`);
  return name;
}
