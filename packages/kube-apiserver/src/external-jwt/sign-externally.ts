import { Buffer } from 'node:buffer';
import { isMembers, jsonTypeName } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import type { KeySource, TokenSigner } from '@apiserver/authentication';
import { MAX_KEY_ID_BYTES } from './external-keys.js';
import type { SignerClient } from './signer-client.js';
import { SignerError, signerErrorOf } from './signer-error.js';
import type { SignerMetrics } from './signer-metrics.js';

const ALGORITHMS: ReadonlySet<string> = new Set(['RS256', 'ES256', 'ES384', 'ES512']);
const FIELDS = ['alg', 'kid', 'typ'] as const;

type Header = Readonly<Record<(typeof FIELDS)[number], string>>;

/**
 * Has an external program sign claims, and checks its header: others must be able to verify the token.
 * Upstream: Plugin.GenerateToken of pkg/serviceaccount/externaljwt/plugin
 */
export function signExternally(
  client: Pick<SignerClient, 'sign'>,
  keys: KeySource,
  metrics: SignerMetrics,
): TokenSigner {
  return async (claims) => {
    let failure: unknown;
    try {
      return await sign(client, keys, Buffer.from(JSON.stringify(claims)).toString('base64url'));
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      metrics.signed(failure);
    }
  };
}

async function sign(client: Pick<SignerClient, 'sign'>, keys: KeySource, payload: string): Promise<string> {
  const { header, signature } = await client.sign(payload).catch((error: unknown) => {
    throw signerErrorOf('while signing jwt', error);
  });
  try {
    await checkHeader(headerOf(header), keys);
  } catch (error) {
    throw signerErrorOf('while validating header', error);
  }
  if (signature === '') throw new SignerError('empty signature returned');
  return `${header}.${payload}.${signature}`;
}

async function checkHeader({ alg, kid, typ }: Header, keys: KeySource): Promise<void> {
  if (typ !== 'JWT') throw new SignerError('bad type');
  if (kid === '') throw new SignerError('key id missing');
  if (Buffer.byteLength(kid) > MAX_KEY_ID_BYTES) throw new SignerError('key id longer than 1 kb');
  if (!ALGORITHMS.has(alg)) throw new SignerError(`bad signing algorithm ${quote(alg)}`);
  const excluded = (await keys.keysOf(kid)).some(({ excludeFromDiscovery }) => excludeFromDiscovery);
  if (!excluded) return;
  throw new SignerError(`key used for signing JWT (kid: ${kid}) is excluded from OIDC discovery docs`);
}

/** Only the fields of a header may be there. */
function headerOf(encoded: string): Header {
  if (!/^[A-Za-z0-9_-]*$/.test(encoded)) throw new SignerError('while unwrapping header: illegal base64 data');
  const header = decoded(encoded);
  const unknown = Object.keys(header).find((name) => !FIELDS.some((field) => field === name));
  if (unknown !== undefined) throw unreadable(`json: unknown field ${quote(unknown)}`);
  const [alg, kid, typ] = FIELDS.map((field) => textOf(header[field], field));
  return { alg: alg ?? '', kid: kid ?? '', typ: typ ?? '' };
}

function decoded(encoded: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(encoded, 'base64url').toString());
  } catch (error) {
    throw signerErrorOf('while parsing header JSON', error);
  }
  if (isMembers(value)) return value;
  throw unreadable(`json: cannot unmarshal ${jsonTypeName(value)} into Go value of type struct`);
}

function textOf(value: unknown, field: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw unreadable(`json: cannot unmarshal ${jsonTypeName(value)} into Go struct field .${field} of type string`);
}

function unreadable(reason: string): SignerError {
  return new SignerError(`while parsing header JSON: ${reason}`);
}
