import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { frame, framesOf, headerBlock, preface, request } from '../../../faults/http2-frames.ts';
import type { Attacker, HostileCase, HostileResponse } from '../../hostile-case.ts';

const LIVEZ = { method: 'GET', path: '/livez' } as const;
const MIB = 1_024 * 1_024;
/** Streams of one connection. */
const STREAMS = 100;
/** Bytes of a frame of a large head. */
const FRAME_BYTES = 16_000;

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = encoded({ iss: 'https://kubernetes.default.svc.cluster.local', sub: 'a', exp: 2 ** 32 });

/** Tokens of which none is good. */
const TOKENS: Readonly<Record<string, (index: number) => string>> = {
  opaque: (index) => `token-${index}`,
  'signed by nobody': (index) => `${encoded({ alg: 'RS256' })}.${claims}.${encoded(index).padEnd(342, 'A')}`,
  'of another issuer': (index) => `${encoded({ alg: 'RS256' })}.${encoded({ iss: `https://${index}` })}.AAAA`,
  'for the bootstrap of a node': (index) => `${String(index).padStart(6, '0')}.0123456789abcdef`,
};

function get(path: string, fields: readonly (readonly [string, string])[] = []) {
  return [[':method', 'GET'], [':scheme', 'https'], [':authority', 'localhost'], [':path', path], ...fields] as const;
}

async function open(attacker: Attacker): Promise<TLSSocket> {
  const socket = connect({ ...attacker.target, ALPNProtocols: ['h2'] });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

/** Resolves when so many requests of a connection are answered or reset, or it has ended. */
function responses(socket: TLSSocket, count: number): Promise<number> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let heads = 0;
    socket.on('close', () => resolve(heads));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      heads = [...framesOf(Buffer.concat(chunks))].filter(({ type }) => type === 'headers' || type === 'reset').length;
      if (heads >= count) resolve(heads);
    });
  });
}

/** Requests that wait on many connections, and are sent at once. */
function atOnce(name: string, connections: number, fields: (index: number) => ReturnType<typeof get>): HostileCase {
  return {
    name,
    who: 'anonymous',
    request: () => LIVEZ,
    attack: async (attacker): Promise<HostileResponse> => {
      const sockets: TLSSocket[] = [];
      while (sockets.length < connections) sockets.push(await open(attacker));
      for (const socket of sockets) socket.write(preface);
      await sleep(200);
      const answered = sockets.map((socket) => responses(socket, STREAMS));
      for (const [connection, socket] of sockets.entries()) {
        const bytes = Array.from({ length: STREAMS }, (_, i) => request(2 * i + 1, fields(STREAMS * connection + i)));
        socket.write(Buffer.concat(bytes));
      }
      await Promise.all(answered);
      for (const socket of sockets) socket.destroy();
      return attacker.send(LIVEZ, 'anonymous');
    },
    status: 200,
  };
}

/** One field in Huffman's code, as long as a head may be: the same code again and again. */
function coded(what: string, code: string, textLength: number): HostileCase {
  return {
    name: `a head of ${what} in Huffman’s code`,
    who: 'anonymous',
    request: () => LIVEZ,
    attack: async (attacker): Promise<HostileResponse> => {
      const bits = code.repeat(8);
      const period = Buffer.from(
        Array.from({ length: code.length }, (_, at) => Number.parseInt(bits.slice(8 * at, 8 * at + 8), 2)),
      );
      const value = Buffer.alloc(Math.floor((textLength * code.length) / 8 / code.length) * code.length, period);
      const rest = value.length - 127;
      const length = Buffer.of(0xff, (rest & 127) | 128, ((rest >> 7) & 127) | 128, rest >> 14);
      const block = Buffer.concat([headerBlock(get('/x')), Buffer.of(0, 1, 0x78), length, value]);
      const frames: Buffer[] = [preface];
      for (let at = 0; at < block.length; at += FRAME_BYTES) {
        const isLast = at + FRAME_BYTES >= block.length;
        const [type, flags] = at === 0 ? [1, 1] : [9, 0];
        frames.push(frame(type, flags | (isLast ? 4 : 0), 1, block.subarray(at, at + FRAME_BYTES)));
      }
      const socket = await open(attacker);
      const answered = responses(socket, 1);
      socket.write(Buffer.concat(frames));
      const count = await answered;
      socket.destroy();
      const response = await attacker.send(LIVEZ, 'anonymous');
      return count === 1 ? response : { ...response, status: 0 };
    },
    status: 200,
  };
}

/** Large heads, and many requests at once, of clients without credentials. */
export const ANONYMOUS_FLOOD_CASES: readonly HostileCase[] = [
  coded('zeros', '00000', MIB - 1_000),
  coded('pluses', '11111111011', MIB / 2),
  coded('ampersands', '11111000', MIB - 1_000),
  coded('bytes of 28 bits', '1111111111111111111111100010', MIB / 4),
  ...Object.entries(TOKENS).map(([what, token]) =>
    atOnce(`3,000 tokens ${what}`, 30, (index) => get('/x', [['authorization', `Bearer ${token(index)}`]])),
  ),
  atOnce('3,000 requests that are refused', 30, (index) => get(`/api/v1/namespaces/n${index}/pods`)),
  ...['', '&verbose'].map((more) => ({
    name: `a check of health that excludes 9,990 others${more}`,
    who: 'anonymous' as const,
    request: () => ({
      ...LIVEZ,
      path: `/livez?${Array.from({ length: 9_990 }, (_, index) => `exclude=${index}`).join('&')}${more}`,
    }),
    status: 200,
    maxResponse: MIB,
  })),
];
