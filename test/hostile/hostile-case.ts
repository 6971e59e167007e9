/** One hostile request, and its allowed effects. */
export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** The end of a request. */
export interface HostileResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Bytes of the response's body. */
  readonly bytes: number;
  /** Its beginning, for messages. */
  readonly start: string;
}

/** Options of a connection. */
interface AttackTarget {
  readonly host: string;
  readonly port: number;
  readonly ca: string;
}

/** Sends requests: `anonymous` ones without any credentials, all others as the administrator. */
export interface Attacker {
  /** Options of connections without credentials, for attacks below requests. */
  readonly target: AttackTarget;
  /** Options of the administrator's connections. */
  readonly administrator: AttackTarget & { readonly cert: string; readonly key: string };
  send(request: HostileRequest, who?: 'anonymous'): Promise<HostileResponse>;
}

/**
 * A case of the corpus. Every area of the server has a file of them in `cases/`, with one exported table; `corpus.ts`
 * lists the tables.
 */
export interface HostileCase {
  readonly name: string;
  /** Without credentials: then it may hold the event loop for 10 ms, not 100. */
  readonly who?: 'anonymous';
  /** True if the request has a credential of its own, although it is sent without the administrator's. */
  readonly isSigned?: boolean;
  /** Requests that prepare the case; not measured. */
  readonly before?: readonly HostileRequest[];
  /** Makes the request, with a name that nothing has yet. Large bodies are made here, not when the table is. */
  readonly request: (name: string) => HostileRequest;
  /** Instead of `request`, for attacks with more than one request: many connections, clients that do not read. */
  readonly attack?: (attacker: Attacker, name: string) => Promise<HostileResponse>;
  /** Default: any that is no bug. */
  readonly status?: number;
  /** Bytes of the response's body. Default: 64 KiB and as much as was sent. */
  readonly maxResponse?: number;
  /** A fault that is known and not yet put right: the measurement is printed, and no bound is checked. */
  readonly known?: string;
}

/** Servers that the server under attack asks, and its flags that name them. */
export interface HostilePeers extends AsyncDisposable {
  readonly args: readonly string[];
}

/** A 500 that is no refusal of upstream's, but a bug of ours. */
const BUG = /Internal error|panic|RangeError|TypeError/;

/** True when a case ended as it should. */
export function isExpected({ status }: HostileCase, response: HostileResponse): boolean {
  if (status !== undefined) return response.status === status;
  return response.status <= 500 && !(response.status === 500 && BUG.test(response.start));
}

export const KIB = 1_024;
export const MIB = 1_024 * KIB;

/** The largest body that the server reads, in bytes. */
export const MAX_BODY = 3 * MIB;

export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** Media types by the names that cases use. */
export const TYPES = {
  json: 'application/json',
  yaml: 'application/yaml',
  cbor: 'application/cbor',
  protobuf: 'application/vnd.kubernetes.protobuf',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  jsonPatch: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** A request with a body. */
export function sending(
  method: string,
  path: string,
  type: keyof typeof TYPES,
  body: string | Uint8Array,
): HostileRequest {
  return { method, path, headers: { 'content-type': TYPES[type] }, body };
}

/** As many pieces as the largest body has room for beside `spent` bytes. */
export function repeated(piece: (index: number) => string, spent = 1_024, separator = ','): string {
  const pieces: string[] = [];
  let left = MAX_BODY - spent;
  for (let index = 0; left > 0; index++) {
    const next = piece(index);
    left -= Buffer.byteLength(next) + separator.length;
    if (left > 0) pieces.push(next);
  }
  return pieces.join(separator);
}
