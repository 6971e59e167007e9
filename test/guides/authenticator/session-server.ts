import type { Logger } from '@apiserver/apiserver-contracts';
import { anonymousAuthenticator, authenticatedGroupAdder, unionAuthenticator } from '@apiserver/authentication';
import {
  completeGenericServerConfig,
  type GenericServer,
  newGenericServer,
  newGenericServerConfig,
  newServerContext,
} from '@apiserver/generic-server';
import { type SessionLookup, sessionAuthenticator } from './session-authenticator.js';

/** A server that takes sessions, and anonymous requests. */
export function sessionServer(findUser: SessionLookup, logger: Logger): GenericServer {
  const config = newGenericServerConfig(newServerContext({ logger }));
  const known = authenticatedGroupAdder(unionAuthenticator([sessionAuthenticator(findUser)]));
  config.authenticator = unionAuthenticator([known, anonymousAuthenticator()], { failOnError: true });
  const server = newGenericServer(completeGenericServerConfig(config), { name: 'session-server' });
  server.nonGoRestfulMux.handle('/whoami', ({ context }) => ({
    type: 'bytes',
    status: 200,
    body: Buffer.from(`${context.user?.name} ${context.user?.groups}`),
  }));
  return server;
}
