import { Agent, type AgentOptions } from 'node:https';
import { type ExpectedServer, serverFault } from './verified-tls.js';

/**
 * An agent whose connections an HTTP proxy makes by CONNECT. `expectedOf` has what is expected of a host; undefined for
 * nothing. Node hands a connection over when its handshake is complete.
 */
export function tunnellingAgent(
  options: AgentOptions,
  expectedOf: (hostname: string | undefined) => ExpectedServer | undefined,
): Agent {
  // A session that is resumed has no certificates.
  const agent = new Agent({ ...options, ca: [], rejectUnauthorized: false, maxCachedSessions: 0 });
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (wanted, created) =>
    connect(wanted, (error, socket) => {
      const expected = expectedOf(wanted.host ?? undefined);
      const fault = error ? undefined : serverFault(socket, expected);
      if (fault !== undefined) socket.destroy();
      created?.(fault ?? error, socket);
    });
  return agent;
}
