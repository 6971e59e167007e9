import { type AgentOptions, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { errorOf } from '@apiserver/apimachinery/errors';
import type { BackendDialer } from './backend.js';
import type { SecureConnection } from './verified-tls.js';

/** The callback of an agent. */
export type Created = (error: Error | null, connection?: Duplex) => void;

/** Agents whose connections a dialer opens. */
export function dialingAgents(
  dial: BackendDialer,
  secure: SecureConnection,
  options: AgentOptions,
): { http: HttpAgent; https: HttpsAgent } {
  const open = async ({ host = '', port = 0 }: ConnectionOptions) => dial({ hostname: host, port: Number(port) });
  const openSecure = async (wanted: ConnectionOptions) => secure(wanted, await open(wanted));
  return {
    http: Object.assign(new HttpAgent(options), { createConnection: creating(open) }),
    https: Object.assign(new HttpsAgent(options), { createConnection: creating(openSecure) }),
  };
}

/** Gives an agent the connection, or the error. */
export function createdBy(connect: () => Duplex, created: Created): void {
  let connection: Duplex;
  try {
    connection = connect();
  } catch (error) {
    created(errorOf(error));
    return;
  }
  created(null, connection);
}

function creating(connect: (wanted: ConnectionOptions) => Promise<Duplex>) {
  return (wanted: ConnectionOptions, created: Created): void => {
    connect(wanted).then(
      (connection) => created(null, connection),
      (error: unknown) => created(errorOf(error)),
    );
  };
}
