import { createPublicKey, sign as signBytes } from 'node:crypto';
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { TestIssuerKey } from '@apiserver/authentication/testing';
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** The behaviour of a signer; may be changed while it runs. */
export interface SignerBehaviour {
  /** The first key signs. */
  keys: readonly (TestIssuerKey & { readonly excluded?: boolean })[];
  /** Seconds. */
  refreshHint: number;
  maxExpiration: number;
  /** Seconds since the epoch; undefined to leave it out. */
  dataTimestamp: number | undefined;
  /** Fields of the header besides the usual ones. */
  header: Readonly<Record<string, unknown>>;
  signature: string | undefined;
  /** Methods that fail with code 2 and this message. */
  failures: Readonly<Record<string, string>>;
}

/** An external signer on a unix socket. */
export interface FakeSigner extends AsyncDisposable {
  readonly behaviour: SignerBehaviour;
  /** Method names of all calls. */
  readonly calls: string[];
}

/** Starts a signer. */
export async function startFakeSigner(path: string, keys: SignerBehaviour['keys']): Promise<FakeSigner> {
  const usual = { refreshHint: 60, maxExpiration: 3_600, dataTimestamp: 1_000 };
  const behaviour: SignerBehaviour = { keys, ...usual, header: {}, signature: undefined, failures: {} };
  const calls: string[] = [];
  const sessions = new Set<ServerHttp2Session>();
  const server: Http2Server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const method = String(headers[':path']).replace('/v1.ExternalJWTSigner/', '');
      calls.push(method);
      respond(stream, behaviour, method, Buffer.concat(chunks).subarray(5));
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    behaviour,
    calls,
    [Symbol.asyncDispose]: async () => {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function respond(stream: ServerHttp2Stream, behaviour: SignerBehaviour, method: string, message: Buffer): void {
  const failure = behaviour.failures[method];
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => {
    stream.sendTrailers({ 'grpc-status': failure === undefined ? '0' : '2', 'grpc-message': failure ?? '' });
  });
  if (failure !== undefined) {
    stream.end();
    return;
  }
  const bytes = responseOf(behaviour, method, message);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  stream.end(Buffer.concat([head, bytes]));
}

function responseOf(behaviour: SignerBehaviour, method: string, message: Buffer): Uint8Array {
  const writer = new BinaryWriter();
  if (method === 'Sign') return signed(behaviour, message, writer);
  if (method === 'Metadata') return writer.tag(1, WireType.Varint).int64(behaviour.maxExpiration).finish();
  for (const { kid, privateKey, excluded } of behaviour.keys) {
    const key = createSpki(privateKey);
    writer.tag(1, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(kid).tag(2, WireType.LengthDelimited).bytes(key);
    writer
      .tag(3, WireType.Varint)
      .bool(excluded ?? false)
      .join();
  }
  if (behaviour.dataTimestamp !== undefined) {
    writer.tag(2, WireType.LengthDelimited).fork().tag(1, WireType.Varint).int64(behaviour.dataTimestamp).join();
  }
  return writer.tag(3, WireType.Varint).int64(behaviour.refreshHint).finish();
}

function createSpki(privateKey: TestIssuerKey['privateKey']): Uint8Array {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
}

function signed({ keys, header, signature }: SignerBehaviour, message: Buffer, writer: BinaryWriter): Uint8Array {
  const reader = new BinaryReader(message);
  reader.tag();
  const claims = reader.string();
  const [key] = keys;
  if (key === undefined) throw new TypeError('no key');
  const shown = { alg: key.alg, kid: key.kid, typ: 'JWT', ...header };
  const encoded = Buffer.from(JSON.stringify(shown)).toString('base64url');
  const bytes = signBytes(`sha${key.alg.slice(2)}`, Buffer.from(`${encoded}.${claims}`), {
    key: key.privateKey,
    dsaEncoding: 'ieee-p1363',
  });
  writer.tag(1, WireType.LengthDelimited).string(encoded);
  return writer
    .tag(2, WireType.LengthDelimited)
    .string(signature ?? bytes.toString('base64url'))
    .finish();
}
