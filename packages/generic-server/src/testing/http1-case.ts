import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Bytes that a client may send on HTTP/1.1, and their effect. */
export interface Http1Case {
  readonly name: string;
  /** One character for each byte. Several parts come one after the other; null: the client has said all. */
  readonly said: string | readonly (string | null)[];
  /** The outcome in net/http of Go, in the form of `outcomeOf`. */
  readonly expected: string;
  /** A different outcome of our server, and its reason. */
  readonly ours?: { readonly instead: string; readonly because: string };
}

/** Milliseconds between two parts. */
const BETWEEN_PARTS = 60;
/**
 * Pauses without a byte after which a connection is taken to stay open, and the milliseconds of each. They are counted,
 * because the server runs in this process: after a stall, time has passed in which it could say nothing.
 */
const SILENT_PAUSES = 40;
const PAUSE = 10;

/** Cases that are tried at once. */
const AT_A_TIME = 8;

/** Sends the parts of a case. Returns the received bytes, and whether the connection is still open. */
async function talk(socket: Socket, said: Http1Case['said']): Promise<string> {
  let heard = '';
  let isOpen = true;
  let silence = 0;
  socket.allowHalfOpen = true;
  socket.on('data', (chunk: Buffer) => {
    heard += chunk.toString('latin1');
    silence = 0;
  });
  const over = (): void => {
    isOpen = false;
  };
  socket.on('end', over).on('close', over).on('error', over);
  for (const part of typeof said === 'string' ? [said] : said) {
    if (part === null) socket.end();
    else socket.write(Buffer.from(part, 'latin1'));
    await sleep(BETWEEN_PARTS);
  }
  for (silence = 0; isOpen && silence < SILENT_PAUSES; silence++) await sleep(PAUSE);
  socket.destroy();
  return outcomeOf(heard, isOpen);
}

/** The outcomes of cases by their names. Some run at a time. */
export async function outcomes(
  cases: readonly Http1Case[],
  connect: () => Promise<Socket>,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (let at = 0; at < cases.length; at += AT_A_TIME) {
    const some = cases.slice(at, at + AT_A_TIME);
    await Promise.all(
      some.map(async ({ name, said }) => {
        found[name] = await talk(await connect(), said);
      }),
    );
  }
  return found;
}

/**
 * Responses in turn, as "200 close: text": the status, the connection and transfer encoding, and the body. At the end
 * "open" or "closed" for the connection.
 */
function outcomeOf(heard: string, isOpen: boolean): string {
  const outcomes: string[] = [];
  for (let rest = heard; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    const head = rest.slice(0, end);
    const status = head.slice(9, 12);
    const connection = /^connection: (.*)$/im.exec(head)?.[1];
    const isChunked = /^transfer-encoding: chunked$/im.test(head);
    const length = /^content-length: (\d+)$/im.exec(head)?.[1];
    const hasNone = status === '100' || /^x-head: /im.test(head);
    const { body, next } = isChunked ? chunkedBody(rest, end + 4) : plainBody(rest, end + 4, hasNone ? 0 : length);
    outcomes.push([status, connection, isChunked ? 'chunked' : ''].filter(Boolean).join(' ') + (body && `: ${body}`));
    rest = rest.slice(next);
  }
  return [...outcomes, isOpen ? 'open' : 'closed'].join(', ');
}

function plainBody(text: string, begin: number, length: string | number | undefined) {
  const next = length === undefined ? text.length : begin + Number(length);
  return { body: text.slice(begin, next).trimEnd(), next };
}

function chunkedBody(text: string, begin: number) {
  let body = '';
  for (let at = begin; ; ) {
    const line = text.indexOf('\r\n', at);
    const size = Number.parseInt(text.slice(at, line), 16);
    if (!(size > 0)) return { body, next: line + 4 };
    body += text.slice(line + 2, line + 2 + size);
    at = line + 2 + size + 2;
  }
}
