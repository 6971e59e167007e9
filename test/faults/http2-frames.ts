/** The least of HTTP/2 that it takes to break its rules. */
export const preface = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0)]);

const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
} as const;
type FrameType = keyof typeof frameTypes;
const endStream = 1;
const endHeaders = 4;

/** A frame by its type's number. */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Header fields as literals that no table keeps (HPACK 6.2.2). */
export function headerBlock(fields: readonly (readonly [string, string])[]): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0]), hpackString(name), hpackString(value)]));
}

function hpackString(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) + 128);
  return Buffer.concat([Buffer.from([...length, rest]), bytes]);
}

export function request(stream: number, fields: readonly (readonly [string, string])[]): Buffer {
  return frame(frameTypes.headers, endStream | endHeaders, stream, headerBlock(fields));
}

export function reset(stream: number, code = 8): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(code);
  return frame(frameTypes.reset, 0, stream, payload);
}

export interface ReceivedFrame {
  readonly type: FrameType | number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** The complete frames in the bytes of a server. */
export function* framesOf(bytes: Buffer): Generator<ReceivedFrame> {
  for (let at = 0; at + 9 <= bytes.length; ) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    if (end > bytes.length) return;
    const number = bytes.readUInt8(at + 3);
    const name = Object.entries(frameTypes).find(([, value]) => value === number)?.[0] as FrameType | undefined;
    yield {
      type: name ?? number,
      stream: bytes.readUInt32BE(at + 5) & 0x7fffffff,
      payload: bytes.subarray(at + 9, end),
    };
    at = end;
  }
}
